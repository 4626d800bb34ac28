import * as adminPortal from '../src/features/admin-portal/sample.ts'
import * as apiKeys from '../src/features/api-keys/sample.ts'
import * as audit from '../src/features/audit/sample.ts'
import * as bulk from '../src/features/bulk/sample.ts'
import * as challenges from '../src/features/challenges/sample.ts'
import * as connections from '../src/features/connections/sample.ts'
import * as devices from '../src/features/devices/sample.ts'
import * as discovery from '../src/features/discovery/sample.ts'
import * as emailVerification from '../src/features/email-verification/sample.ts'
import * as environments from '../src/features/environments/sample.ts'
import * as events from '../src/features/events/sample.ts'
import * as exports from '../src/features/exports/sample.ts'
import * as factors from '../src/features/factors/sample.ts'
import * as federation from '../src/features/federation/sample.ts'
import * as impersonation from '../src/features/impersonation/sample.ts'
import * as invites from '../src/features/invites/sample.ts'
import * as links from '../src/features/links/sample.ts'
import * as lockout from '../src/features/lockout/sample.ts'
import * as login from '../src/features/login/sample.ts'
import * as mail from '../src/features/mail/sample.ts'
import * as me from '../src/features/me/sample.ts'
import * as members from '../src/features/members/sample.ts'
import * as mfa from '../src/features/mfa/sample.ts'
import * as organizations from '../src/features/organizations/sample.ts'
import * as otp from '../src/features/otp/sample.ts'
import * as passkeys from '../src/features/passkeys/sample.ts'
import * as password from '../src/features/password/sample.ts'
import * as relyingParty from '../src/features/relying-party/sample.ts'
import * as roles from '../src/features/roles/sample.ts'
import * as scim from '../src/features/scim/sample.ts'
import * as services from '../src/features/services/sample.ts'
import * as sessions from '../src/features/sessions/sample.ts'
import * as signup from '../src/features/signup/sample.ts'
import * as social from '../src/features/social/sample.ts'
import * as sso from '../src/features/sso/sample.ts'
import * as tokens from '../src/features/tokens/sample.ts'
import * as users from '../src/features/users/sample.ts'
import * as webhooks from '../src/features/webhooks/sample.ts'
import { noRecords } from './records.ts'
import type { FeatureSample } from './samples.ts'

/** Features whose samples need no more than what others make. */
const withoutRecords: (FeatureSample & { makeRecords?: never })[] = [
  audit,
  events,
  exports,
  login,
  mail,
  organizations,
  relyingParty,
  scim,
  services,
  sso,
]

/** In the order in which they make their records. Whose records a feature uses for its own stands above it. */
const withRecords = noRecords
  .add(adminPortal)
  .add(environments)
  .add(members)
  .add(users)
  .add(roles)
  .add(sessions)
  .add(federation)
  .add(tokens)
  .add(connections)
  .add(social)
  .add(apiKeys)
  .add(invites)
  .add(otp)
  .add(discovery)
  .add(impersonation)
  .add(signup)
  .add(password)
  .add(links)
  .add(emailVerification)
  .add(lockout)
  .add(devices)
  .add(me)
  .add(factors)
  .add(mfa)
  .add(challenges)
  .add(passkeys)
  .add(webhooks)
  .add(bulk)

/** Every feature with a `sample.ts`. */
export const featureSamples: readonly FeatureSample[] = [...withoutRecords, ...withRecords.features]

export const makeRecords = withRecords.make
