import { expect, test } from 'vitest'
import { OutboundFailure } from '../../../platform/outbound/http.ts'
import { FederationFailure } from '../federation/federation.ts'
import { refusedByProvider, toFailure } from './failures.ts'

test('errors of the standards are told, and nothing else that a provider says', () => {
  const said = ['access_denied', 'invalid_client', '<b>canary</b>', 'canary', 7, undefined].map(refusedByProvider)
  expect(said.map(({ code, detail }) => [code, detail])).toEqual([
    ['access_denied', 'The provider said access_denied.'],
    ['idp_error', 'The provider said invalid_client.'],
    ...Array.from({ length: 4 }, () => ['idp_error', 'The provider said another error.']),
  ])
})

test('what is no failure of a provider stays what it is', () => {
  const mistake = new TypeError('of ours')
  expect(toFailure(mistake)).toBe(mistake)
  const failure = new FederationFailure('idp_error')
  expect(toFailure(new Error('wrapped', { cause: failure }))).toBe(failure)
  const unreachable = toFailure(new Error('wrapped', { cause: new OutboundFailure('timeout') }))
  expect(unreachable).toMatchObject({ code: 'idp_unreachable', detail: 'The server did not answer in time.' })
})
