import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { OutboundFailure } from '../../../platform/outbound/http.ts'
import { FederationFailure } from '../federation/federation.ts'
import { resetBreaker, withBreaker } from './trouble.ts'

const { platform } = (await startApp()).app
const asker = { directoryId: 'directory', source: 'connection', isShared: false }
const fail = () => withBreaker(platform, asker, () => Promise.reject(new OutboundFailure('timeout')))

test('what was under way when trouble was forgotten takes nothing away of what is known since', async () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  const early = withBreaker(platform, asker, () => promise)
  resetBreaker(platform, asker)
  for (let i = 0; i < 3; i++) await expect(fail()).rejects.toThrow(OutboundFailure)
  await expect(fail()).rejects.toThrow(FederationFailure)
  resolve('answer')
  expect(await early).toBe('answer')
  await expect(fail()).rejects.toThrow(FederationFailure)
})
