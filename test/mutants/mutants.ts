import { audit } from './audit.ts'
import { availability } from './availability.ts'
import { connections } from './connections.ts'
import { devices } from './devices.ts'
import { discovery } from './discovery.ts'
import { distributed } from './distributed.ts'
import { domains } from './domains.ts'
import { environments } from './environments.ts'
import { example } from './example.ts'
import { exports } from './exports.ts'
import { federation } from './federation.ts'
import { firstContact } from './first-contact.ts'
import { forced } from './forced.ts'
import { http } from './http.ts'
import { impersonation } from './impersonation.ts'
import { languages } from './languages.ts'
import { largeLists } from './large-lists.ts'
import { limits } from './limits.ts'
import { logouts } from './logouts.ts'
import type { Mutant } from './mutant.ts'
import { oidc } from './oidc.ts'
import { own } from './own.ts'
import { passkeys } from './passkeys.ts'
import { provisioning } from './provisioning.ts'
import { recovery } from './recovery.ts'
import { roles } from './roles.ts'
import { saml } from './saml.ts'
import { scim } from './scim.ts'
import { secondFactors } from './second-factors.ts'
import { secrets } from './secrets.ts'
import { signIn } from './sign-in.ts'
import { team } from './team.ts'
import { teamActions } from './team-actions.ts'
import { tenants } from './tenants.ts'
import { threads } from './threads.ts'
import { tokens } from './tokens.ts'
import { users } from './users.ts'
import { webhooks } from './webhooks.ts'

/** The defences of each file of this folder, by its name. */
export const lists: Record<string, Mutant[]> = {
  http,
  tenants,
  team,
  'team-actions': teamActions,
  environments,
  tokens,
  users,
  'sign-in': signIn,
  'second-factors': secondFactors,
  passkeys,
  languages,
  'large-lists': largeLists,
  limits,
  secrets,
  audit,
  availability,
  connections,
  discovery,
  devices,
  distributed,
  impersonation,
  domains,
  roles,
  exports,
  federation,
  'first-contact': firstContact,
  forced,
  logouts,
  oidc,
  own,
  saml,
  scim,
  threads,
  provisioning,
  recovery,
  webhooks,
  example,
}

/** Every defence that `run.ts` takes out. */
export const mutants: Mutant[] = Object.values(lists).flat()
