import { expect, test } from 'vitest'
import { requiresOrganization } from '../../src/platform/tenancy/resolve-directory.ts'
import { routes } from '../../src/wiring/routes.ts'
import { startApp } from '../harness.ts'
import { nameOf, sampleOf, sendSample } from './samples.ts'
import { makeWorldFor } from './world.ts'

const app = await startApp()

const ACCOUNT = 'The account owns the record. Its id, or the path, names it.'
const DEFAULTS = 'Changes the defaults of the environment, as the path says.'
const TEAM = 'Acts on the team of the account. subOrgId makes it the roster of an organization.'
const MAILED_TOKEN = 'The mailed token identifies the organization.'
const DISCOVERY = 'Starts before an organization is known. The organization follows at the exchange.'

/** Every write that an org-wide key may send without `subOrgId`, with the reason why it cannot hit the wrong place. */
const unnamed: Record<string, string> = {
  'POST /v1/organizations': 'Creates the organization. subOrgId is its parent.',
  'PATCH /v1/organizations/{subOrgId}': ACCOUNT,
  'DELETE /v1/organizations/{subOrgId}': ACCOUNT,
  'PUT /v1/organizations/{subOrgId}/members': ACCOUNT,
  'POST /v1/organizations/{subOrgId}/erase': ACCOUNT,
  'POST /v1/members/invites': TEAM,
  'DELETE /v1/members/invites/{inviteId}': ACCOUNT,
  'PATCH /v1/members/{membershipId}': ACCOUNT,
  'DELETE /v1/members/{membershipId}': ACCOUNT,
  'PATCH /v1/environments/{environmentId}': ACCOUNT,
  'POST /v1/api-keys': 'Creates a key of the account, with at most the scopes of the caller. subOrgId narrows it.',
  'PATCH /v1/api-keys/{id}': ACCOUNT,
  'DELETE /v1/api-keys/{id}': ACCOUNT,
  'POST /v1/api-keys/{id}/rotate': ACCOUNT,
  'PUT /v1/organization-apps/defaults': DEFAULTS,
  'PATCH /v1/otp/settings/defaults': DEFAULTS,
  'PATCH /v1/auth/settings/defaults': DEFAULTS,
  'PATCH /v1/mfa/policy/defaults': DEFAULTS,
  'PATCH /v1/auth/passkey/settings/defaults': DEFAULTS,
  'PATCH /v1/mail/settings/defaults': DEFAULTS,
  'PATCH /v1/audit/settings/defaults': DEFAULTS,
  'PUT /v1/mail/templates/{kind}/{language}/defaults': DEFAULTS,
  'DELETE /v1/mail/templates/{kind}/{language}/defaults': DEFAULTS,
  'POST /v1/mail/templates/{kind}/{language}/preview': 'Changes nothing: previews the defaults of the environment.',
  'PUT /v1/social/providers/defaults': DEFAULTS,
  'POST /v1/sso/keys': 'The keys of SAML belong to the environment.',
  'POST /v1/rbac/check': 'Changes nothing: the user names the organization.',
  'POST /v1/mail/bounces': 'A report without an organization holds for every one of the environment.',
  'DELETE /v1/mail/suppressions/{suppressionId}': 'One of the whole environment.',
  'POST /v1/otp/generate': 'The contract has no subOrgId here: codes of the account itself.',
  'POST /v1/otp/validate': 'The contract has no subOrgId here: codes of the account itself.',
  'POST /v1/auth/discovery/otp/send': DISCOVERY,
  'POST /v1/auth/discovery/otp/verify': DISCOVERY,
  'POST /v1/auth/discovery/magic-link/send': DISCOVERY,
  'POST /v1/auth/discovery/magic-link/verify': DISCOVERY,
  'POST /v1/auth/login/social/start': DISCOVERY,
  'POST /v1/auth/token/exchange': 'The code names its organization, or the environment where none was chosen.',
  'POST /v1/auth/token/refresh': 'The token names its organization.',
  'POST /v1/auth/discovery/create': 'Creates the organization.',
  'POST /v1/auth/login/magic-link/verify': MAILED_TOKEN,
  'POST /v1/auth/signup/authenticate-email/verify': MAILED_TOKEN,
  'POST /v1/auth/invite/accept': MAILED_TOKEN,
  'POST /v1/auth/password/reset/confirm': MAILED_TOKEN,
  'POST /v1/auth/email/verify': MAILED_TOKEN,
  'POST /v1/auth/email/undo': MAILED_TOKEN,
  'POST /v1/auth/devices/disown': MAILED_TOKEN,
  'POST /v1/auth/unlock': MAILED_TOKEN,
  'POST /v1/auth/login/passkey/options': 'Changes nothing of an organization: the passkey names it.',
  'POST /v1/auth/login/passkey/verify': 'The passkey names its organization.',
  'POST /v1/auth/login/sso/discover': 'Changes nothing: the domain names the organization.',
  'POST /v1/auth/token/introspect': 'The token names its organization.',
}

/** Writes whose rule asks for the organization, because their samples do not say it otherwise. */
const conditional: Record<string, string> = {
  'POST /v1/environments': 'Custom environments belong to an organization.',
  'POST /v1/auth/token/revoke': 'A token names its organization. A session_id does not.',
  'POST /v1/auth/login/sso/logout': 'A token names its organization. A session_id does not.',
}

const writes = routes.filter(({ auth, method }) => auth === 'key' && method !== 'GET')

test('an org-wide key names an organization at every write but these', async () => {
  const [accepted, refused]: [string[], string[]] = [[], []]
  // A route that works on one directory is refused before its handler; test/walkers/matrix.test.ts sends each of those.
  for (const route of writes.filter((route) => route.directory !== 'one' || !requiresOrganization(route))) {
    const world = await makeWorldFor(app, await app.tenant(), route)
    const reply = await sendSample(world.orgWide, route, sampleOf(route, world))
    const isRefused = reply.status === 400 && reply.body.code === 'sub_org_required'
    ;(isRefused ? refused : accepted).push(nameOf(route))
  }
  const byEither = writes.filter(({ directory }) => directory === 'one-or-environment').map(nameOf)
  expect(refused.sort()).toEqual([...Object.keys(conditional), ...byEither].sort())
  expect(accepted.sort()).toEqual(Object.keys(unnamed).sort())
})
