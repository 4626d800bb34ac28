import { type Begun, beginFederated } from '../../src/features/federation/federation/begin/begin.ts'
import { completeFederated, type FederationRules } from '../../src/features/federation/federation/complete/complete.ts'
import { makeExchangeCode } from '../../src/features/federation/federation/complete/exchange.ts'
import type { FederatedPerson } from '../../src/features/federation/federation/person.ts'
import { insertIdentityRow, type Subject } from '../../src/features/federation/federation/store.ts'
import { isId, newId } from '../../src/platform/ids.ts'
import type { Work } from '../../src/platform/work.ts'
import { fresh } from '../fresh.ts'
import type { TestApp } from '../harness.ts'
import { getWorkIn } from '../work.ts'

/** Where the application of a test waits for browsers. */
export const APPLICATION = 'http://localhost:3000/auth?from=login'

/** The work of an organization's production directory, which is there once something has asked for it. */
export async function workOfOrganization(app: TestApp, organizationId: string): Promise<Work> {
  const { platform } = app.app
  const { id } = await platform.db
    .selectFrom('directories')
    .innerJoin('environments', 'environments.id', 'directories.environment_id')
    .select('directories.id')
    .where('directories.organization_id', '=', organizationId)
    .where('environments.slug', '=', 'production')
    .executeTakeFirstOrThrow()
  return getWorkIn(platform, id)
}

/** Somebody whom a provider knows. */
export function person(fields: Partial<FederatedPerson> = {}): FederatedPerson {
  return {
    issuer: 'https://idp.example',
    subject: `sub-${fresh()}`,
    email: null,
    emailVerified: null,
    firstName: null,
    lastName: null,
    displayName: null,
    amr: [],
    isTwoFactor: false,
    ...fields,
  }
}

/** What the rules of a social provider are, or with `needsOwnDomain` those of a connection. */
export const RULES: FederationRules = {
  jit: true,
  defaultRole: 'member',
  groups: null,
  needsOwnDomain: false,
  domains: [],
  relink: false,
  isClaimNamed: false,
  sourceName: 'A provider',
}

/** The parameters that a browser brings to the application. */
export function said(redirectTo: string): Record<string, string> {
  return Object.fromEntries(new URL(redirectTo).searchParams)
}

/** Has a connection or provider that people can sign in by; one that is there already stays as it is. */
async function openSource({ platform, directory }: Work, { method, source }: Pick<Subject, 'method' | 'source'>) {
  const { db } = platform
  const { id: directory_id, environmentId: environment_id } = directory
  if (method === 'social') {
    const provider = { directory_id, provider: source, enabled: true }
    await db
      .insertInto('social_providers')
      .values(provider)
      .onConflict((of) => of.doNothing())
      .execute()
  } else if (isId(source)) {
    const open = { id: source, name: 'A connection', protocol: 'oidc', status: 'active' }
    const row = { ...open, directory_id, environment_id }
    await db
      .insertInto('sso_connections')
      .values(row)
      .onConflict((of) => of.doNothing())
      .execute()
  }
}

/** A code for the session of a user, as of a sign-in at a provider. */
export async function newExchangeCode(work: Work, userId: string): Promise<string> {
  const [method, source] = ['social', 'google'] as const
  await openSource(work, { method, source })
  const identity = { id: newId(), user_id: userId, method, source, issuer: 'https://idp.example', subject: userId }
  await work.platform.tx((db) => insertIdentityRow(db, work.directory, identity))
  const federated = {
    identityId: identity.id,
    logoutSealed: null,
    nameHash: null,
    sessionHash: null,
    sessionEndsAt: null,
  }
  const names = { external_ids: null, user_names: null, principal_names: null, address_norm: null }
  const { epoch } = await work.db.selectFrom('users').select('epoch').where('id', '=', userId).executeTakeFirstOrThrow()
  const code = await makeExchangeCode(work, {
    userId,
    epoch,
    method,
    source,
    amr: ['fed'],
    aal: 'aal1',
    federated,
    names,
  })
  if (code === null) throw new Error('The user is gone')
  return code
}

/** Begins a sign-in at a provider and ends it with what the provider would say, its protocol left out. */
export async function signInAs(
  work: Work,
  who: FederatedPerson,
  rules: FederationRules = RULES,
  begun: Partial<Begun> = {},
): Promise<Record<string, string>> {
  const input = {
    method: 'social',
    source: 'google',
    redirectUri: APPLICATION,
    responseMode: 'query',
    ...begun,
  } as const
  await openSource(work, input)
  const started = await beginFederated(work, input)
  return said((await completeFederated(work, started, who, rules)).redirectTo)
}
