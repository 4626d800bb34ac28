import { describe, expect, test } from 'vitest'
import { startApp } from '../harness.ts'
import { oneTimeSecrets } from './one-time-secrets.ts'

// Every one-time secret against every route that takes one (ASVS 6.6.2): each is accepted only where it belongs.

const app = await startApp()
const { secrets, consumers, newPerson, present } = oneTimeSecrets(app, await app.tenant())

describe.each(Object.keys(secrets))('%s', (name) => {
  test('passes where it belongs and nowhere else', async () => {
    const person = await newPerson()
    const secret = await secrets[name]?.(person)
    if (!secret) throw new Error('No secret')
    const own = Object.keys(consumers).filter((path) => consumers[path]?.takes.includes(name))
    // A device by itself proves nothing, a state belongs to callbacks, which ask the provider, an address is changed by
    // whoever has signed in, and discovery is of no organization.
    const elsewhere = [
      'trusted device',
      'state of a sign-in at a provider',
      'link to a new address',
      'link of discovery',
    ]
    expect(own).toHaveLength(elsewhere.includes(name) ? 0 : 1)
    for (const path of Object.keys(consumers)) {
      if (own.includes(path)) continue
      const { isAccepted, reply } = await present(path, person, secret)
      expect(isAccepted, `${path}: ${reply.text}`).toBe(false)
      expect(reply.status).toBeLessThan(500)
      expect(reply.text).not.toContain('access_token')
    }
    // None of them has consumed it.
    const [path] = own
    if (path === undefined) return
    const { isAccepted, reply } = await present(path, person, secret)
    expect(isAccepted, `${path}: ${reply.text}`).toBe(true)
    expect((await present(path, person, secret)).isAccepted).toBe(false)
  })
})
