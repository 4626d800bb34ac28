import * as login from '../../src/features/access/login/sample.ts'
import * as mfa from '../../src/features/access/mfa/sample.ts'
import * as sessions from '../../src/features/access/sessions/sample.ts'
import * as roles from '../../src/features/directory/roles/sample.ts'
import * as users from '../../src/features/directory/users/sample.ts'
import * as connections from '../../src/features/federation/connections/sample.ts'
import * as federation from '../../src/features/federation/federation/sample.ts'
import * as social from '../../src/features/federation/social/sample.ts'
import * as sso from '../../src/features/federation/sso/sample.ts'
import * as discovery from '../../src/features/front/discovery/sample.ts'
import * as tokens from '../../src/features/oauth/tokens/sample.ts'
import * as bulk from '../../src/features/provisioning/bulk/sample.ts'
import * as scim from '../../src/features/provisioning/scim/sample.ts'
import * as audit from '../../src/features/records/audit/sample.ts'
import * as events from '../../src/features/records/events/sample.ts'
import * as exports from '../../src/features/records/exports/sample.ts'
import * as webhooks from '../../src/features/records/webhooks/sample.ts'
import * as challenges from '../../src/features/sign-in/challenges/sample.ts'
import * as devices from '../../src/features/sign-in/devices/sample.ts'
import * as emailChange from '../../src/features/sign-in/email-change/sample.ts'
import * as emailVerification from '../../src/features/sign-in/email-verification/sample.ts'
import * as factors from '../../src/features/sign-in/factors/sample.ts'
import * as impersonation from '../../src/features/sign-in/impersonation/sample.ts'
import * as invites from '../../src/features/sign-in/invites/sample.ts'
import * as links from '../../src/features/sign-in/links/sample.ts'
import * as lockout from '../../src/features/sign-in/lockout/sample.ts'
import * as otp from '../../src/features/sign-in/otp/sample.ts'
import * as passkeys from '../../src/features/sign-in/passkeys/sample.ts'
import * as password from '../../src/features/sign-in/password/sample.ts'
import * as relyingParty from '../../src/features/sign-in/relying-party/sample.ts'
import * as signup from '../../src/features/sign-in/signup/sample.ts'
import * as adminPortal from '../../src/features/tenancy/admin-portal/sample.ts'
import * as apiKeys from '../../src/features/tenancy/api-keys/sample.ts'
import * as bounces from '../../src/features/tenancy/bounces/sample.ts'
import * as environments from '../../src/features/tenancy/environments/sample.ts'
import * as erasure from '../../src/features/tenancy/erasure/sample.ts'
import * as mail from '../../src/features/tenancy/mail/sample.ts'
import * as mailTemplates from '../../src/features/tenancy/mail/templates/sample.ts'
import * as members from '../../src/features/tenancy/members/sample.ts'
import * as organizations from '../../src/features/tenancy/organizations/sample.ts'
import * as services from '../../src/features/tenancy/services/sample.ts'
import { noRecords } from '../people/records.ts'
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
  tokens,
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
  .add(emailChange)
  .add(factors)
  .add(mfa)
  .add(challenges)
  .add(passkeys)
  .add(webhooks)
  .add(mailTemplates)
  .add(bounces)
  .add(bulk)
  .add(erasure)

/** Every feature with a `sample.ts`. */
export const featureSamples: readonly FeatureSample[] = [...withoutRecords, ...withRecords.features]

export const makeRecords = withRecords.make
