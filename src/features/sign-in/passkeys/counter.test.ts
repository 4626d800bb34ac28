import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { newHolder, signInBy } from '../../../../test/people/passkeys.ts'

const app = await startApp()
const tenant = await app.tenant()

const reasons = async (userId: string) =>
  (await app.events({ accountId: tenant.accountId, type: 'auth.login.failed' }))
    .filter(({ target_id }) => target_id === userId)
    .map(({ data }) => data)

// WebAuthn L3 §7.2 step 22: a counter that does not grow means that the passkey may have been copied.
test('the counter of a passkey that stays on its device grows with every use', async () => {
  const holder = await newHolder(tenant, await tenant.organization(), { counter: 3 })
  const uses: [counter: number, status: number][] = [
    [4, 200],
    [4, 401],
    [3, 401],
    [0, 401],
    [10, 200],
    [9, 401],
    [11, 200],
  ]
  for (const [counter, status] of uses) {
    const reply = await signInBy(tenant, holder, { counter })
    expect([counter, reply.status, reply.body.code]).toEqual([
      counter,
      status,
      status === 200 ? undefined : 'passkey_invalid',
    ])
  }
  expect(await reasons(holder.userId)).toEqual(
    Array(4).fill({ method: 'passkey', reason: 'counter', passkey_id: holder.credentialId }),
  )
})

test('a passkey that counts nothing may go on so, and one that begins to count does not stop', async () => {
  const holder = await newHolder(tenant, await tenant.organization(), { counter: 0 })
  for (const [counter, status] of [
    [0, 200],
    [0, 200],
    [1, 200],
    [0, 401],
  ])
    expect([counter, (await signInBy(tenant, holder, { counter: counter ?? 0 })).status]).toEqual([counter, status])
})
