import { hashFactorIdentity } from '../../../platform/crypto/identity.ts'
import { newId } from '../../../platform/ids.ts'
import type { Work } from '../../../platform/work.ts'
import { type Gate, loginEvents, type SessionReply } from '../../access/login/login.ts'
import {
  type Demand,
  demandAtRefresh,
  demandFactor,
  methodsToPass,
  trustedDeviceSettings,
} from '../../access/mfa/mfa.ts'
import { factorsAfter } from './second-factors.ts'
import { challengeOutcome, type FactorsOf, type MadeChallenge } from './store.ts'
import { makeToken } from './token.ts'

type Entry = Parameters<NonNullable<Gate['evaluate']>>[1]

/** Answers with a challenge instead of tokens if the user has proved one factor and needs two. */
export const mfaGate: Gate = {
  async evaluate(work, entry, { teamRoles }) {
    if (entry.aal !== 'aal1') return null
    const { facts, session, isTentative } = entry
    const settings = await trustedDeviceSettings.effective(work)
    const demand = session
      ? await demandAtRefresh(work, { ...facts, teamRoles, trusted_device_id: session.trustedDeviceId }, settings)
      : await demandFactor(work, { ...facts, teamRoles, isTentative }, settings)
    const { kind, unchanged, deviceId, events } = demand
    if (kind === 'nothing')
      return { kind: 'pass', conditions: [unchanged], deviceId, events, reply: describeGrace(demand) }
    return { kind: 'hold', conditions: [unchanged], ...challengeFor(work, entry, kind === 'enrollment') }
  },
}

/** The part of the response that describes the grace period of a user who lacks the required factor. */
function describeGrace({ graceEndsAt }: Demand): Pick<SessionReply, 'mfa'> {
  return graceEndsAt === null
    ? {}
    : { mfa: { required: true, enrolled: false, grace_ends_at: graceEndsAt.toISOString() } }
}

/** The challenge that is created instead of a session. There is no session until every factor has passed. */
function challengeFor(work: Work, entry: Entry, enrollment: boolean) {
  const { facts, method: authMethod, amr, session, nextPasswordHash = null } = entry
  const madeId = newId()
  const { token, hash, network } = makeToken(work)
  const { organizationId } = work.directory
  const data = {
    id: madeId,
    directory_user_id: facts.user_id,
    auth_method: authMethod,
    enrollment_required: enrollment,
  }
  // If a passkey is the user's only second factor, no code can pass the challenge. The user signs in with the passkey
  // instead.
  const codes = (has: FactorsOf) => (facts.mfa_enrolled ? methodsToPass(work, factorsAfter(amr, has)) : ['passkey'])
  return {
    madeId,
    outcome: challengeOutcome({
      token_hash: hash,
      network_hash: network,
      auth_method: authMethod,
      amr,
      refreshed_session: session?.id ?? null,
      enrollment,
      next_password_hash: nextPasswordHash,
      failure_identity: hashFactorIdentity(work.platform, facts.user_id),
      organization_id: organizationId,
    }),
    events: [loginEvents.challengeCreated({ target: { type: 'user', id: facts.user_id }, data })],
    answer: async ({ expires_at, organization_name, ...has }: MadeChallenge): Promise<SessionReply> => ({
      session: null,
      mfa_required: true,
      challenge_token: token,
      challenge_expires_at: expires_at.toISOString(),
      directory_user_id: facts.user_id,
      sub_org_id: organizationId,
      ...describeOrganization(organizationId, { name: organization_name, slug: facts.organization_slug }),
      methods: enrollment ? ['totp'] : await codes(has),
      enrollment_required: enrollment,
    }),
  }
}

function describeOrganization(
  subOrgId: string | null,
  { name, slug }: { name: string | null; slug: string | null },
): Pick<SessionReply, 'organization'> {
  return subOrgId === null || name === null || slug === null ? {} : { organization: { subOrgId, name, slug } }
}
