import type { Static } from 'typebox'
import type { Work } from '../../../platform/work.ts'
import { assertConsistent, policyOf, withPatch } from './policy.ts'
import { MFA_METHODS, MFA_ROLES, type MfaMethod, type MfaRole, type PreviewQuery, type PreviewReply } from './schema.ts'
import { countStandings, findStanding } from './store.ts'

const SHOWN_PEOPLE = 20

/**
 * Which users a policy would ask for a factor, which would be in their grace period, and which would be locked out.
 * Throws `invalid_request`.
 */
export async function previewPolicy(
  work: Work,
  query: Static<typeof PreviewQuery>,
): Promise<Static<typeof PreviewReply>> {
  const { directory, db } = work
  const current = await policyOf(work)
  const { allowed_methods: methods, enforce_for_roles: roles, ...plain } = query
  const asked = {
    ...plain,
    ...(methods === undefined ? {} : { allowed_methods: readMethods(methods) }),
    ...(roles === undefined ? {} : { enforce_for_roles: readRoles(roles) }),
  }
  const proposed = withPatch(current, asked, current)
  assertConsistent(proposed)
  const policy = { ...proposed, required_since: current.required_since }
  const counts = await countStandings(db, directory, policy)
  const sum = (standing: string | null, role?: string) =>
    counts
      .filter((row) => (standing === null || row.standing === standing) && (role === undefined || row.role === role))
      .reduce((total, row) => total + row.count, 0)
  const countsOf = (role?: string) => ({
    users: sum(null, role),
    asked: sum('asked', role),
    in_grace: sum('in_grace', role),
    locked_out: sum('locked_out', role),
  })
  const first = async (standing: 'asked' | 'in_grace' | 'locked_out') =>
    (await findStanding(db, directory, policy, { standing, limit: SHOWN_PEOPLE })).map(({ id, email, role }) => ({
      id,
      email,
      role,
    }))
  return {
    policy: proposed,
    ...countsOf(),
    roles: [...new Set(counts.map((row) => row.role))].map((role) => ({ role, ...countsOf(role) })),
    first: { asked: await first('asked'), in_grace: await first('in_grace'), locked_out: await first('locked_out') },
  }
}

function readMethods(text: string): MfaMethod[] {
  return MFA_METHODS.filter((method) => text.split(',').includes(method))
}

function readRoles(text: string): MfaRole[] {
  return MFA_ROLES.filter((role) => text.split(',').includes(role))
}
