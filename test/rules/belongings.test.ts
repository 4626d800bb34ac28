import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { cutOff, deleteUser, moveUser } from '../../src/features/directory/users/changes/changes.ts'
import { proveMailbox } from '../../src/features/directory/users/proof/proof.ts'
import { getUserForUpdate } from '../../src/features/directory/users/users.ts'
import { endReasons } from '../../src/features/sign-in/password/end-reasons.ts'
import { newId } from '../../src/platform/ids.ts'
import type { Belonging, UserTable } from '../../src/platform/lifecycle/belongings.ts'
import { inTx } from '../../src/platform/work.ts'
import { belongings } from '../../src/wiring/belongings.ts'
import { startApp } from '../harness.ts'
import { succeeded } from '../people/factors.ts'
import { newUser, type Person } from '../people/people.ts'
import { mailedCode } from '../people/sign-in.ts'
import { plant, plantedIn } from '../walkers/planted.ts'
import { workIn } from '../work.ts'

const app = await startApp()
const { platform } = app.app
const { db } = platform
const tenant = await app.tenant()

const occasions = ['proof', 'cutOff', 'removal', 'move'] as const
type Occasion = (typeof occasions)[number]

/** `ended`: the row is still there and of no use; `moved`: it is in the other directory, the same but for that. */
type Answer = 'same' | 'gone' | 'ended' | 'moved'

/** What becomes of the rows of a user who signed up: on the proof of the mailbox, cut-off, removal and move. */
const ANSWERS: Record<UserTable, [Answer, Answer, Answer, Answer]> = {
  backup_codes: ['gone', 'same', 'same', 'moved'],
  exchange_codes: ['gone', 'gone', 'gone', 'gone'],
  federated_sessions: ['gone', 'same', 'gone', 'gone'],
  identities: ['gone', 'same', 'gone', 'gone'],
  impersonations: ['same', 'same', 'same', 'same'],
  known_devices: ['same', 'same', 'gone', 'moved'],
  links: ['ended', 'ended', 'ended', 'ended'],
  mfa_challenges: ['gone', 'gone', 'gone', 'gone'],
  mfa_grace: ['same', 'same', 'same', 'moved'],
  mfa_phones: ['gone', 'same', 'same', 'moved'],
  otps: ['same', 'ended', 'ended', 'ended'],
  passkeys: ['gone', 'same', 'same', 'moved'],
  password_credentials: ['gone', 'same', 'gone', 'moved'],
  password_history: ['gone', 'same', 'gone', 'moved'],
  role_assignments: ['same', 'same', 'gone', 'gone'],
  scim_group_members: ['same', 'same', 'gone', 'gone'],
  scim_user_emails: ['same', 'same', 'same', 'gone'],
  scim_user_versions: ['same', 'same', 'same', 'gone'],
  scim_users: ['same', 'same', 'ended', 'gone'],
  session_cut_offs: ['same', 'same', 'same', 'same'],
  sessions: ['ended', 'ended', 'ended', 'ended'],
  sso_roles: ['gone', 'same', 'gone', 'gone'],
  totp_enrollments: ['gone', 'same', 'same', 'moved'],
  trusted_devices: ['gone', 'gone', 'gone', 'gone'],
  webauthn_ceremonies: ['ended', 'ended', 'ended', 'ended'],
}

/** What the proof leaves to a user whom the customer’s backend added: no stranger can have set it. */
const KEPT: UserTable[] = ['backup_codes', 'mfa_phones', 'passkeys', 'totp_enrollments', 'trusted_devices']

const directoryOf = (subOrgId: string) => plantedIn(app, tenant, subOrgId)

/** Somebody who has one of everything. */
async function newOwner(subOrgId: string, source = 'signup'): Promise<Person> {
  const person = await newUser(tenant, { subOrgId })
  for (const { table } of belongings) await plant(app, tenant, person, table)
  const attached = { auth_account_id: newId(), mfa_enrolled: true, passkey_count: 1, role_ids: [newId()], source }
  await db.updateTable('users').set(attached).where('id', '=', person.id).execute()
  return person
}

type Rows = Record<string, Record<string, unknown>[]>

async function rowsOf({ id }: Person): Promise<Rows> {
  const read = Object.keys(ANSWERS).map(async (table) => {
    const { rows } = await sql<{ row: Record<string, unknown> }>`
      select to_jsonb(t) as row from ${sql.table(table)} t where user_id = ${id}`.execute(db)
    return [table, rows.map(({ row }) => row)]
  })
  return Object.fromEntries(await Promise.all(read))
}

function answerOf(before: Rows, after: Rows, table: string, directoryId: string): Answer | 'left' {
  const [[was], [is, ...more]] = [before[table] ?? [], after[table] ?? []]
  if (!was || more.length) return 'left'
  if (!is) return 'gone'
  if (is['directory_id'] === was['directory_id']) return isSame(is, was) ? 'same' : 'ended'
  return isSame(is, { ...was, directory_id: directoryId }) ? 'moved' : 'left'
}

const isSame = (a: object, b: object) => JSON.stringify(a) === JSON.stringify(b)

test('every table with a user_id is claimed once, with what becomes of its rows on each occasion', async () => {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'user_id' order by table_name`.execute(db)
  expect(belongings.map(({ table }) => table).sort()).toEqual(rows.map(({ name }) => name))
  expect(Object.keys(ANSWERS)).toEqual(rows.map(({ name }) => name))
  const unanswered = (belonging: Belonging) =>
    occasions.filter((occasion) => {
      const fate = belonging[occasion]
      return typeof fate !== 'function' && !/^[A-Z].{10,}\.$/.test(fate.kept)
    })
  expect(belongings.flatMap(unanswered)).toEqual([])
  const silent = belongings.flatMap(({ exports }) => ('nothing' in exports ? [exports.nothing] : []))
  expect(silent.filter((why) => !/^[A-Z].{10,}\.$/.test(why))).toEqual([])
})

test.each(occasions.flatMap((occasion) => ['signup', 'api'].map((source) => [occasion, source] as const)))(
  'what becomes of a user’s belongings: %s of one from %s',
  async (occasion, source) => {
    const [subOrgId, targetId] = [await tenant.organization(), await tenant.organization()]
    const [directory, target] = [await directoryOf(subOrgId), await directoryOf(targetId)]
    const [owner, bystander] = [await newOwner(subOrgId, source), await newOwner(subOrgId, source)]
    const [before, others] = [await rowsOf(owner), await rowsOf(bystander)]
    const work = workIn(platform, directory)
    const held = (run: (...given: Parameters<typeof proveMailbox>) => Promise<unknown>) =>
      inTx(work, async (work) => run(work, await getUserForUpdate(work, owner.id)))
    const acts: Record<Occasion, () => Promise<unknown>> = {
      proof: () => held(proveMailbox),
      cutOff: () => held((work, user) => cutOff(work, user, endReasons.password_changed)),
      removal: () => deleteUser(work, owner.id, { ifMatch: null, force: true }),
      move: () => moveUser(work, owner.id, { target, ifMatch: null, force: false }),
    }
    const epochOf = async () =>
      (await db.selectFrom('users').select('epoch').where('id', '=', owner.id).executeTakeFirstOrThrow()).epoch
    const epoch = await epochOf()
    await acts[occasion]()
    const after = await rowsOf(owner)
    const answers = Object.keys(ANSWERS).map((table) => [table, answerOf(before, after, table, target.id)])
    const kept: string[] = occasion === 'proof' && source !== 'signup' ? KEPT : []
    const expected = Object.entries(ANSWERS).map(([table, each]) => [
      table,
      kept.includes(table) ? 'same' : each[occasions.indexOf(occasion)],
    ])
    expect(answers).toEqual(expected)
    expect(await rowsOf(bystander)).toEqual(others)
    expect(await epochOf()).toBe(epoch + 1)
    const user = await db.selectFrom('users').selectAll().where('id', '=', owner.id).executeTakeFirstOrThrow()
    const [factors, passkeys] = [after['totp_enrollments']?.length, after['passkeys']?.length]
    expect([user.mfa_enrolled, user.passkey_count]).toEqual([factors === 1, passkeys])
    expect(user.role_ids.length).toBe(after['role_assignments']?.length)
  },
)

const SUMMED_UP: Partial<Record<UserTable, object>> = {
  backup_codes: { mfa_enrolled: true },
  passkeys: { passkey_count: 1 },
}

const removedByProof = belongings.filter(({ proof }) => typeof proof === 'function').map(({ table }) => table)

test.each(removedByProof)('a first sign-in takes away what there is of %s, and nobody else’s', async (table) => {
  const subOrgId = await tenant.organization()
  const [person, bystander] = [await newUser(tenant, { subOrgId }), await newUser(tenant, { subOrgId })]
  for (const each of [person, bystander]) {
    await plant(app, tenant, each, table)
    const columns = { source: 'signup', ...SUMMED_UP[table] }
    await db.updateTable('users').set(columns).where('id', '=', each.id).execute()
  }
  const { email } = person
  const { otp_id } = succeeded(await tenant.post('/v1/auth/login/otp/send', { subOrgId, email }))
  const code = await mailedCode(app, email)
  const [before, others] = [await rowsOf(person), await rowsOf(bystander)]
  succeeded(await tenant.post('/v1/auth/login/otp/verify', { subOrgId, email, otp_id, code }))
  const after = await rowsOf(person)
  // The session of this sign-in is beside.
  if (table === 'sessions') after.sessions = after.sessions?.filter(({ id }) => id === before.sessions?.[0]?.id) ?? []
  expect(answerOf(before, after, table, '')).toBe(ANSWERS[table][0])
  expect(await rowsOf(bystander)).toEqual(others)
})

test('the first proof of a sign-up leaves out what nothing can be attached to, and is one statement', async () => {
  const { subOrgId, email, id } = await newUser(tenant)
  const person = { subOrgId, email, id }
  const before = await rowsOf(person)
  await sql`update users set pending_until = clock_now() + interval '1 hour' where id = ${id}`.execute(db)
  const directory = await directoryOf(subOrgId)
  const user = await inTx(workIn(platform, directory), (work) => getUserForUpdate(work, id))
  const asked = belongings.filter((belonging) => !belonging.isAbsent?.(user)).map(({ table }) => table)
  expect(asked.sort()).toEqual(['links', 'otps', 'sessions'])
  let statements = 0
  const counted = platform.db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      statements++
      return result
    },
  })
  await counted.transaction().execute((tx) => proveMailbox({ ...workIn(platform, directory), db: tx }, user))
  // And the event.
  expect(statements).toBe(2)
  expect(await rowsOf(person)).toEqual(before)
})
