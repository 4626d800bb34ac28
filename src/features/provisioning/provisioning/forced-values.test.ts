import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { startApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { provenClient } from '../../../../test/people/provisioning.ts'
import { answered, ENTERPRISE, patchOf, withoutMeta } from '../../../../test/people/scim-answers.ts'

const app = await startApp()
const tenant = await app.tenant()
const client = await provenClient(app, tenant)
const { subOrgId, at, call, add, readUser } = client

const force = async (id: string, patch: object) =>
  succeeded(await tenant.patch(`/v1/users/${id}`, { subOrgId, force: true, ...patch })).user
const read = async (id: string) => answered(await call('GET', `/Users/${id}`))
const patch = async (id: string, ...operations: object[]) =>
  answered(await call('PATCH', `/Users/${id}`, patchOf(...operations)))
const nick = () => ({ op: 'replace', path: 'nickName', value: fresh() })

/** A user with every value that an administrator may force, and with secondary values. */
function addRich() {
  const name = fresh()
  return add({
    userName: at(name),
    displayName: 'Ada',
    title: 'Engineer',
    name: { givenName: 'Ada', familyName: 'Byron', middleName: 'K' },
    [ENTERPRISE]: { department: 'R&D', costCenter: '7' },
    emails: [
      { value: at(`${name}.home`), type: 'home' },
      { value: at(`${name}.work`), type: 'work', display: 'Work', primary: true },
    ],
    phoneNumbers: [
      { value: '+14155550100', type: 'mobile' },
      { value: '+14155550111', type: 'work', primary: true },
    ],
  })
}

test('a phone number that an administrator forces costs no other number', async () => {
  const { id, phoneNumbers } = await addRich()
  await force(id, { phone: '+14155550199' })
  const forced = [{ ...phoneNumbers[1], value: '+14155550199' }, phoneNumbers[0]]
  expect((await read(id)).phoneNumbers).toEqual(forced)
  expect((await patch(id, nick())).phoneNumbers).toEqual(forced)
  await force(id, { phone: null })
  expect(await read(id)).not.toHaveProperty('phoneNumbers')
  await patch(id, nick())
  expect((await readUser(id)).phone).toBeNull()
  await force(id, { phone: '+14155550111' })
  expect((await read(id)).phoneNumbers).toEqual(phoneNumbers)
})

const text = fc.constantFrom('Forced', 'Other', null)
const forced = fc.record(
  {
    displayName: text,
    jobTitle: text,
    firstName: text,
    lastName: text,
    department: text,
    phone: fc.constantFrom('+14155550199', '+14155550100', null),
    email: fc.boolean(),
  },
  { requiredKeys: [] },
)

test('what an administrator forces outlives changes of the client, which lose none of its own values', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(forced, { minLength: 1, maxLength: 3 }), async (changes) => {
      const user = await addRich()
      const { id } = user
      const before = await readUser(id)
      const keys = ['displayName', 'jobTitle', 'firstName', 'lastName', 'department', 'phone', 'email'] as const
      const own = Object.fromEntries(keys.map((key) => [key, before[key]]))
      for (const { email, ...fields } of changes) {
        const set = { ...fields, ...(email ? { email: at(fresh()) } : {}) }
        const after = await force(id, set)
        const shown = await read(id)
        // A change by the client keeps the forced values, and shows them.
        const op = nick()
        const patched = await patch(id, op)
        expect(withoutMeta(patched)).toEqual({ ...withoutMeta(shown), nickName: op.value })
        const kept = await readUser(id)
        for (const key of keys) expect([key, kept[key]]).toEqual([key, after[key]])
      }
      await force(id, own)
      const { nickName: _, ...restored } = await read(id)
      expect(withoutMeta(restored)).toEqual(withoutMeta(user))
    }),
    { numRuns: 15 },
  )
})

test('a value that the client changes replaces a forced one, and PUT replaces all', async () => {
  const user = await addRich()
  const { id } = user
  await force(id, { displayName: 'Forced', jobTitle: 'Forced', email: at(fresh()), phone: null })
  await patch(id, { op: 'replace', path: 'displayName', value: 'Countess' })
  expect(await readUser(id)).toMatchObject({ displayName: 'Countess', jobTitle: 'Forced', phone: null })
  const put = answered(await call('PUT', `/Users/${id}`, user))
  expect(withoutMeta(put)).toEqual(withoutMeta(user))
  expect(await readUser(id)).toMatchObject({ displayName: 'Ada', jobTitle: 'Engineer', phone: '+14155550111' })
})
