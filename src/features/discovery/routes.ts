import { Type } from 'typebox'
import { httpErrors } from '../../platform/errors.ts'
import type { AccountScope } from '../../platform/http/directory.ts'
import { showRate } from '../../platform/http/rate-limit.ts'
import { defineRoute, type Route } from '../../platform/http/route.ts'
import { Email } from '../../platform/mail/address.ts'
import { isServiceEnabled } from '../../platform/services.ts'
import type { Work } from '../../platform/work.ts'
import { doorRoutes, loginErrors } from '../login/login.ts'
import { otpEvents, SentCodeReply, signInCodeErrors, toSentCode, VerifyCodeBody } from '../otp/otp.ts'
import { userEvents } from '../users/users.ts'
import { discover, enter, sendDiscoveryCode } from './discovery.ts'
import { discoveryErrors } from './errors.ts'
import { DiscoveryReply, toOrganization } from './schema.ts'

const about = { method: 'POST', scope: 'auth.login', tag: 'Authentication' } as const

/** Throws `sub_org_mismatch` for who reaches one organization alone, `service_disabled`. */
async function environmentOf(work: Work<AccountScope>): Promise<Work> {
  const { organizationId, directory } = work.directory
  if (organizationId !== null)
    throw httpErrors.subOrgMismatch({
      detail: 'Discovery is about every organization: use an org-wide key, and leave out subOrgId.',
    })
  const inside = { ...work, directory }
  if (await isServiceEnabled(inside, 'otp')) return inside
  throw httpErrors.serviceDisabled({ detail: 'The service otp is not enabled here.', extra: { service: 'otp' } })
}

export const discoveryRoutes: Route[] = [
  defineRoute({
    ...about,
    path: '/v1/auth/discovery/otp/send',
    operation: 'discovery.otp.send',
    directory: 'account',
    summary: 'Mail a code to somebody of whom nothing is known',
    description: 'Whoever has the address gets it: there is nothing that the answer tells. For org-wide keys.',
    body: Type.Object({ email: Email }),
    reply: SentCodeReply,
    errors: [loginErrors.methodDisabled, loginErrors.accountLocked, httpErrors.serviceDisabled],
    maybeEvents: [otpEvents.sent],
    handle: async (work, { body }) =>
      toSentCode(showRate(work, await sendDiscoveryCode(await environmentOf(work), body.email))),
  }),
  defineRoute({
    ...about,
    path: '/v1/auth/discovery/otp/verify',
    operation: 'discovery.otp.verify',
    directory: 'account',
    summary: 'Exchange the code for the organizations of its mailbox',
    description:
      'Those of the person, where they are invited, and the one that they may join by their domain, in the environment of ' +
      'the key; none that a code does not open. For org-wide keys.',
    body: VerifyCodeBody,
    reply: DiscoveryReply,
    errors: [...Object.values(signInCodeErrors), httpErrors.serviceDisabled],
    maybeEvents: [],
    async handle(work, { body }) {
      const { email, otp_id: otpId, code } = body
      const { token, expiresAt, organizations } = await discover(await environmentOf(work), { email, otpId, code })
      return {
        discovery_token: token,
        expires_at: expiresAt.toISOString(),
        organizations: organizations.map(toOrganization),
      }
    },
  }),
  defineRoute({
    ...about,
    path: '/v1/auth/discovery/exchange',
    operation: 'discovery.exchange',
    service: 'otp',
    takesDevice: true,
    summary: 'Enter one of the organizations',
    description: 'Answers the session, or the challenge of a second factor, as a sign-in by a mailed code does.',
    body: Type.Object({ discovery_token: Type.String({ minLength: 1, maxLength: 2000, examples: ['dsc_v1.0198…'] }) }),
    errors: [discoveryErrors.tokenInvalid, ...doorRoutes.errors],
    ...doorRoutes.mailboxLogin,
    maybeEvents: [...doorRoutes.mailboxLogin.maybeEvents, userEvents.created],
    handle: (work, { body }) => enter(work, body.discovery_token),
  }),
]
