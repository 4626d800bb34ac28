import pg from 'pg'
import {
  type Access,
  type Journal,
  type KnownSession,
  type Proof,
  present,
  REUSE_SECONDS,
  refresh,
} from './kill-load.ts'

const AT_ONCE = 8
/** As long a refresh token may be sent again after an answer that was lost, with room for the way there. */
const REUSE_MS = (REUSE_SECONDS - 10) * 1000

/**
 * Holds a service that was started again to what it acknowledged before: presents each proof of `round` that may still
 * be good, each twice, uses each of its sessions, and reads the rows of all of `journal`. Returns what is not as it must be.
 */
export async function findViolations(
  access: Access,
  databaseUrl: string,
  { round, journal }: { round: Journal; journal: Journal },
): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const before = await readConsumed(client)
    const violations = []
    // Challenges last: links that are accepted now bring more of them.
    for (const isLast of [false, true]) {
      const proofs = round.proofs.filter(({ kind }) => (kind === 'challenge') === isLast)
      violations.push(...(await flatMapAtOnce(proofs, (proof) => tryProof(access, round, { proof, before }))))
    }
    violations.push(...(await flatMapAtOnce(round.otps, (otp) => tryGenerated(access, otp))))
    violations.push(...(await flatMapAtOnce(round.sessions, (session) => trySession(access, session))))
    return [...violations, ...(await readRows(client, [round, journal]))]
  } finally {
    await client.end()
  }
}

/** Which kinds of proof of which users are consumed, by `<kind> <user>`. */
async function readConsumed(client: pg.Client): Promise<Set<string>> {
  const { rows } = await client.query(`
    select 'code ' || user_id as proof from otps where purpose = 'login' and used_at is not null
    union all select 'link ' || user_id from links where purpose = 'magic_link' and used_at is not null
    union all select 'challenge ' || user_id from mfa_challenges where used_at is not null`)
  return new Set(rows.map((row) => String(row.proof)))
}

async function tryProof(
  access: Access,
  round: Journal,
  { proof, before }: { proof: Proof; before: Set<string> },
): Promise<string[]> {
  const { kind, person, state } = proof
  const name = `${kind} of ${person.email}, ${state} before the kill`
  const wasConsumed = before.has(`${kind} ${person.userId}`)
  if (state === 'issued' && wasConsumed) return [`${name}: consumed without having been presented`]
  if (state === 'accepted' && !wasConsumed) return [`${name}: not consumed`]
  const attempt = () => present(access, round, proof)
  if (!wasConsumed) {
    const { status } = await attempt()
    if (status !== 200) return [`${name}: refused with ${status}`]
  }
  const { status } = await attempt()
  return status === 200 ? [`${name}: accepted twice`] : []
}

async function tryGenerated({ api }: Access, { id, code }: Journal['otps'][number]): Promise<string[]> {
  const attempt = async () => (await api.post('/v1/otp/validate', { otp_id: id, code })).body.valid === true
  if (!(await attempt())) return [`generated code ${id}: refused`]
  return (await attempt()) ? [`generated code ${id}: accepted twice`] : []
}

async function trySession({ api }: Access, session: KnownSession): Promise<string[]> {
  const { id, subOrgId } = session
  const isActive = async () =>
    (await api.post('/v1/auth/token/introspect', { subOrgId, token: session.accessToken })).body.active === true
  if (!(await isActive())) return [`session ${id}: not active`]
  // The start took too long to tell a repeated request from a replay.
  if (session.askedAt !== null && Date.now() - session.askedAt > REUSE_MS) return []
  try {
    await refresh(api, session)
  } catch (error) {
    return [`session ${id}: not refreshed: ${error instanceof Error ? error.message : error}`]
  }
  return (await isActive()) ? [] : [`session ${id}: not active after its refresh`]
}

/** What was acknowledged and is not there, and users of whom more or less was consumed than came of it. */
async function readRows(client: pg.Client, journals: Journal[]): Promise<string[]> {
  const missing = async (table: string, condition: string, ids: string[]) => {
    const { rows } = await client.query(`select id::text from ${table} where ${condition} and id = any ($1::uuid[])`, [
      ids,
    ])
    const found = new Set(rows.map((row) => row.id))
    return ids.filter((id) => !found.has(id)).map((id) => `${id} is not among the ${table}`)
  }
  const violations = []
  for (const { organizations, users, otps, sessions } of journals) {
    const sessionIds = sessions.map(({ id }) => id)
    violations.push(...(await missing('organizations', 'true', organizations)))
    violations.push(...(await missing('users', 'deleted_at is null', users)))
    const otpIds = otps.map(({ id }) => id)
    violations.push(...(await missing('otps', 'true', otpIds)))
    violations.push(...(await missing('sessions', 'revoked_at is null', sessionIds)))
  }
  const { rows } = await client.query(UNBALANCED)
  return [...violations, ...rows.map((row) => `consumed is not what came of it: ${JSON.stringify(row)}`)]
}

/**
 * Each first factor consumed is a session of one factor or a challenge, each challenge passed a session of two, and a
 * code of an app that is later than the one that confirmed it has passed a challenge.
 */
const UNBALANCED = `
  select * from (
    select email,
      ${countOf('otps', "purpose = 'login' and used_at is not null")}
        + ${countOf('links', "purpose = 'magic_link' and used_at is not null")} as proofs,
      ${countOf('mfa_challenges', 'true')} as challenges,
      ${countOf('mfa_challenges', 'used_at is not null')} as passed,
      ${countOf('totp_enrollments', 'last_step > floor(extract(epoch from confirmed_at) / 30)')} as codes,
      ${countOf('sessions', "aal = 'aal1'")} as single,
      ${countOf('sessions', "aal = 'aal2'")} as double
    from users) as users
  where proofs <> challenges + single or passed <> double or codes > double`

/** By directory first, as the indexes are. */
function countOf(table: string, condition: string): string {
  return `(select count(*) from ${table}
    where directory_id = users.directory_id and user_id = users.id and ${condition})`
}

async function flatMapAtOnce<T, R>(items: T[], use: (item: T) => Promise<R[]>): Promise<R[]> {
  const results: R[] = []
  const queue = items.values()
  const take = async () => {
    for (const item of queue) results.push(...(await use(item)))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, take))
  return results
}
