import type { Mutant } from './mutant.ts'

const FEDERATION = 'src/features/federation'
const LINKING = [`${FEDERATION}/linking.test.ts`]
const IDENTITIES = [`${FEDERATION}/identities.test.ts`]
const MEANWHILE = [`${FEDERATION}/meanwhile.test.ts`]
const STATE = [`${FEDERATION}/state.test.ts`]

/** Sign-ins at providers, whatever their protocol: states, linking, codes, enforcement, connections. */
export const federation: Mutant[] = [
  {
    name: 'a connection speaks for the domains alone that it names',
    file: `${FEDERATION}/recognise.ts`,
    find: 'if (rules.domains.length > 0 && !isOfDomain(address.norm, rules.domains))',
    replace: 'if (rules.domains.length < 0)',
    tests: LINKING,
    only: 'names domains',
  },
  {
    name: 'an address that a provider says is not folded into that of another person',
    file: 'src/platform/mail/address.ts',
    find: "if (!address || text !== text.normalize('NFKC')) return null",
    replace: 'if (text.length > 0) return address',
    tests: LINKING,
    only: 'but for its characters',
  },
  {
    name: 'a name of a provider fits into its index',
    file: `${FEDERATION}/person.ts`,
    find: 'if (Buffer.byteLength(issuer) + Buffer.byteLength(subject) > MAX_NAME_BYTES)',
    replace: 'if (MAX_NAME_BYTES < 0)',
    tests: LINKING,
    only: 'too long',
  },
  {
    name: 'a state is good once',
    file: `${FEDERATION}/store.ts`,
    find: `    .deleteFrom('federated_sign_ins')
    .where('directory_id', '=', directory.id)
    .where('state_hash', '=', stateHash)
    .where('method', '=', method)
    .where('expires_at', '>', now)
    .returningAll()`,
    replace: `    .selectFrom('federated_sign_ins')
    .where('directory_id', '=', directory.id)
    .where('state_hash', '=', stateHash)
    .where('method', '=', method)
    .where('expires_at', '>', now)
    .selectAll()`,
    tests: STATE,
  },
  {
    name: 'a state expires',
    file: `${FEDERATION}/store.ts`,
    find: `    .where('state_hash', '=', stateHash)
    .where('method', '=', method)
    .where('expires_at', '>', now)
    .returningAll()`,
    replace: "    .where('state_hash', '=', stateHash)\n    .returningAll()",
    tests: STATE,
  },
  {
    name: 'a state is of one method',
    file: `${FEDERATION}/store.ts`,
    find: "    .where('method', '=', method)\n    .where('expires_at', '>', now)",
    replace: "    .where('expires_at', '>', now)",
    tests: [...STATE, 'src/features/federation/oidc/rp-logout.test.ts'],
  },
  {
    name: 'a made-up state names no directory',
    file: `${FEDERATION}/state.ts`,
    find: 'return isOurs ? unpackId(body.slice(0, ID_LENGTH)) : null',
    replace: 'return isOurs !== null ? unpackId(body.slice(0, ID_LENGTH)) : null',
    tests: STATE,
  },
  {
    name: 'a redirect address is on the list when a sign-in begins',
    file: `${FEDERATION}/begin.ts`,
    find: '  await assertRedirectAllowed(work, said.redirectUri)\n',
    replace: '',
    tests: STATE,
  },
  {
    name: 'a redirect address is on the list when a sign-in ends',
    file: `${FEDERATION}/hand-back.ts`,
    find: '  await assertRedirectAllowed(work, redirectUri)\n',
    replace: '',
    tests: STATE,
  },
  {
    name: 'an exchange code is of one organization',
    file: `${FEDERATION}/exchange.ts`,
    find: 'if ((await directoryOf(work, code))?.id !== directory.id) throw federationErrors.codeInvalid()',
    replace: '',
    tests: STATE,
    equivalent: 'A code is looked up within the directory of the request, by a hash that no other has.',
  },
  {
    name: 'an exchange code is good once',
    file: `${FEDERATION}/exchange.ts`,
    find: 'codeProof({ code_id: read.code_id }), ',
    replace: '',
    tests: STATE,
  },
  {
    name: 'an exchange code lives for a minute',
    file: `${FEDERATION}/exchange.ts`,
    find: 'const CODE_SECONDS = 60',
    replace: 'const CODE_SECONDS = 600',
    tests: STATE,
  },
  {
    name: 'a provider that does not vouch for an address links nobody',
    file: `${FEDERATION}/recognise.ts`,
    find: 'person.emailVerified !== false : person.emailVerified',
    replace: 'person.emailVerified !== false : person.email',
    tests: LINKING,
  },
  {
    name: 'an address that the provider denies links nobody, in its own domain either',
    file: `${FEDERATION}/recognise.ts`,
    find: 'person.emailVerified !== false : person.emailVerified',
    replace: 'true : person.emailVerified',
    tests: LINKING,
  },
  {
    name: 'the limit of connections holds between processes',
    file: 'src/features/federation/connections/store.ts',
    find: "sql`select pg_advisory_xact_lock(hashtext('watchword.connections'), hashtext(${directory.id}))`",
    replace: 'sql`select ${directory.id}::uuid`',
    tests: ['src/features/federation/connections/connections.test.ts'],
    only: 'fifty',
  },
  {
    name: 'an issuer has no query',
    file: 'src/features/federation/connections/changes.ts',
    find: "if (config.oidc_issuer?.includes('?'))",
    replace: "if (config.oidc_issuer?.includes('??'))",
    tests: ['src/features/federation/connections/connections.test.ts'],
  },
  {
    name: 'a connection speaks for its own domains alone',
    file: `${FEDERATION}/recognise.ts`,
    find: 'if (rules.needsOwnDomain && !(await ownsDomainOf(work, address.norm)))',
    replace: 'if (rules.needsOwnDomain && !address.norm)',
    tests: LINKING,
  },
  {
    name: 'a domain counts once it is verified',
    file: 'src/features/directory/domains/store.ts',
    find: `    .where('domain', '=', domain)
    .where('status', '=', 'verified')
    .executeTakeFirst()
  return row !== undefined
}

export async function insertDomainRow`,
    replace: `    .where('domain', '=', domain)
    .executeTakeFirst()
  return row !== undefined
}

export async function insertDomainRow`,
    tests: ['src/features/federation/sso/enforcement.test.ts'],
  },
  {
    name: 'a person is known by issuer and subject',
    file: `${FEDERATION}/store.ts`,
    find: "    .where('issuer', '=', who.issuer)\n",
    replace: '',
    tests: LINKING,
  },
  {
    name: 'a person is known by connection or provider',
    file: `${FEDERATION}/store.ts`,
    find: "    .where('source', '=', who.source)\n    .where('issuer'",
    replace: "    .where('issuer'",
    tests: LINKING,
  },
  {
    name: 'linking is a first proof of the mailbox',
    file: `${FEDERATION}/complete.ts`,
    find: 'const proved = isProved ? await proveMailbox(work, user) : user',
    replace: 'const proved = user',
    tests: LINKING,
  },
  {
    name: 'nobody is made where that is off',
    file: `${FEDERATION}/complete.ts`,
    find: 'if (jit && address) return',
    replace: 'if (address) return',
    tests: LINKING,
  },
  {
    name: 'an inactive user is refused before anything is written',
    file: `${FEDERATION}/complete.ts`,
    find: `  await assertMaySignIn(work, facts)
  if (identity`,
    replace: '  if (identity',
    tests: LINKING,
  },
  {
    name: 'a second factor is asked for after a provider',
    file: `${FEDERATION}/complete.ts`,
    find: "const aal = person.isTwoFactor ? ('aal2' as const) : ('aal1' as const)",
    replace: "const aal = person.subject ? ('aal2' as const) : ('aal1' as const)",
    tests: LINKING,
  },
  {
    name: 'gates are asked before a code is made',
    file: `${FEDERATION}/complete.ts`,
    find: '    await rehearse(work, facts, { method: begun.method, amr, aal })\n',
    replace: '',
    tests: ['src/features/federation/sso/enforcement.test.ts'],
  },
  {
    name: 'enforced single sign-on closes every other way',
    file: 'src/features/federation/sso/gate.ts',
    find: 'if (enforce_sso && !isExempt) throw loginErrors.ssoRequired()',
    replace: '',
    tests: ['src/features/federation/sso/enforcement.test.ts'],
  },
  {
    name: 'single sign-on is enforced where there is some',
    file: 'src/features/federation/sso/settings.ts',
    find: "if (patch['enforce_sso'] !== true) return",
    replace: "if (patch['enforce_sso'] !== undefined) return",
    tests: ['src/features/federation/sso/enforcement.test.ts'],
  },
  {
    name: 'enforced single sign-on takes a complete connection',
    file: 'src/features/federation/connections/known.ts',
    find: "each.status === 'active' && lacks(each).length === 0",
    replace: "each.status === 'active'",
    tests: ['src/features/federation/sso/enforcement.test.ts'],
  },
  {
    name: 'enforced single sign-on takes a verified domain',
    file: 'src/features/federation/sso/settings.ts',
    find: "domains.filter(({ status }) => status === 'verified')",
    replace: 'domains',
    tests: ['src/features/federation/sso/enforcement.test.ts'],
  },
  {
    name: 'enforced single sign-on takes a domain that the connection speaks for',
    file: 'src/features/federation/sso/settings.ts',
    find: 'if (!usable.some(isOurs))',
    replace: 'if (!usable.some(isOurs) && usable.length === 0)',
    tests: ['src/features/federation/sso/enforcement.test.ts'],
  },
  {
    name: 'a sign-in starts at an active connection',
    file: 'src/features/federation/sso/start.ts',
    find: '  if (!isOpen) throw connectionErrors.notActive()\n',
    replace: '',
    tests: ['src/features/federation/sso/enforcement.test.ts'],
  },
  {
    name: 'a link that is removed ends the sessions that came by it',
    file: 'src/features/access/ties/logout.ts',
    find: 'return revokeSessions(work, ids, reason)',
    replace: 'return revokeSessions(work, ids.slice(ids.length), reason)',
    tests: IDENTITIES,
  },
  {
    name: 'a link that is removed ends the sign-ins under way',
    file: `${FEDERATION}/identities.ts`,
    find: '    await voidPendingSignIns(work, user, reasons.identity_unlinked)\n',
    replace: '',
    tests: IDENTITIES,
  },
  {
    name: 'a sign-in depends on the link by which it came',
    file: `${FEDERATION}/complete.ts`,
    find: '    spends: [used],',
    replace: '    spends: [],',
    tests: MEANWHILE,
  },
  {
    name: 'a code depends on the link by which it came',
    file: `${FEDERATION}/exchange.ts`,
    find: ', identityProof({ ...UNNAMED, identity_id: read.code_identity })',
    replace: '',
    tests: MEANWHILE,
  },
  {
    name: 'a connection that is switched off while it answers lets nobody in',
    file: `${FEDERATION}/store.ts`,
    find: "          and status = 'active')",
    replace: ')',
    tests: MEANWHILE,
  },
  {
    name: 'a provider that is switched off while it answers lets nobody in',
    file: `${FEDERATION}/store.ts`,
    find: 'provider = identities.source and enabled)',
    replace: 'provider = identities.source)',
    tests: MEANWHILE,
  },
  {
    name: 'nobody is linked to a connection that is gone',
    file: `${FEDERATION}/complete.ts`,
    find: 'if (!held) throw',
    replace: "if (source === '') throw",
    tests: MEANWHILE,
  },
  {
    name: 'a connection stays until whoever is being linked to it is',
    file: `${FEDERATION}/store.ts`,
    find: '    .$if(!alone, (query) => query.forKeyShare())\n',
    replace: '',
    tests: MEANWHILE,
  },
  {
    name: 'the link of another user is not removed',
    file: `${FEDERATION}/store.ts`,
    find: "    .where('user_id', '=', userId)\n    .where('id', '=', id)\n    .returningAll()",
    replace: "    .where('id', '=', id)\n    .returningAll()",
    tests: IDENTITIES,
  },
  {
    name: 'a session keeps its tie when it goes on as another one',
    file: 'src/features/oauth/tokens/tokens.ts',
    find: '    beside: await keepTie(work, { id, method }),\n',
    replace: '',
    tests: IDENTITIES,
  },
  {
    name: 'a challenge passes its tie to the session',
    file: 'src/features/sign-in/challenges/pass.ts',
    find: '      sessionId: id,\n',
    replace: '',
    tests: IDENTITIES,
  },
  {
    name: 'no group makes an owner',
    file: 'src/features/directory/roles/mapping.ts',
    find: 'if (strange !== undefined)',
    replace: 'if (strange !== undefined && roles.length < 0)',
    tests: ['src/features/federation/connections/connections.test.ts'],
  },
  {
    name: 'addresses of providers are https',
    file: 'src/platform/outbound/url.ts',
    find: "if (url.protocol === 'https:') return true",
    replace: "if (url.protocol.startsWith('http')) return true",
    tests: ['src/features/federation/connections/connections.test.ts'],
  },
  {
    name: 'people whose application has withdrawn its address are told so in words for people',
    file: 'src/features/federation/federation/hand-back.ts',
    find: 'error instanceof ApiError ? deliveryErrors.invalidRedirectUri({ detail: WITHDRAWN }) : error',
    replace: 'error instanceof ApiError && WITHDRAWN ? deliveryErrors.invalidRedirectUri() : error',
    tests: ['src/features/federation/federation/state.test.ts'],
  },
  {
    name: 'a session ends no later than its provider wants',
    file: 'src/features/access/login/session-outcome.ts',
    find: `least(ready.at + make_interval(secs => ready.max_seconds), \${END})`,
    replace: 'ready.at + make_interval(secs => ready.max_seconds)',
    tests: ['src/features/federation/federation/session-end.test.ts'],
  },
  {
    name: 'the limit of a provider goes with the code',
    file: 'src/features/federation/federation/exchange.ts',
    find: '    sessionEndsAt: read.code_session_end,\n',
    replace: '',
    tests: ['src/features/federation/federation/session-end.test.ts'],
  },
  {
    name: 'the limit of a provider goes with the challenge',
    file: 'src/features/sign-in/challenges/pass.ts',
    find: '      sessionEndsAt: challenge.session_ends_at,\n',
    replace: '',
    tests: ['src/features/federation/federation/session-end.test.ts'],
  },
  {
    name: 'the limit of a provider goes with the challenge of a refresh',
    file: 'src/features/access/ties/store.ts',
    find: 'tie.provider_session_hash, tie.session_ends_at, ready.at',
    replace: 'tie.provider_session_hash, null, ready.at',
    tests: ['src/features/federation/federation/session-end.test.ts'],
  },
  {
    name: 'no session begins after its end',
    file: 'src/features/access/login/session-outcome.ts',
    find: "holds: () => 'asked.session_over_at::timestamptz > clock_now()',",
    replace: "holds: () => 'asked.session_over_at is not null',",
    tests: ['src/features/federation/federation/session-end.test.ts'],
  },
  {
    name: 'a sign-in is of a session that goes on at the provider',
    file: 'src/features/federation/oidc/exchange.ts',
    find: 'sessionEnds <= now)',
    replace: 'sessionEnds <= now - CLOCK_TOLERANCE_SECONDS)',
    tests: ['src/features/federation/federation/session-end.test.ts'],
  },
  {
    name: 'the end of a session at the provider is a number',
    file: 'src/features/federation/oidc/exchange.ts',
    find: "sessionEnds !== undefined && typeof sessionEnds !== 'number'",
    replace: 'sessionEnds === 0',
    tests: ['src/features/federation/federation/session-end.test.ts'],
  },
  {
    name: 'a sign-in that another one overtakes tries again',
    file: `${FEDERATION}/complete.ts`,
    find: 'if (answer === null && (before || !known)) break',
    replace: 'if (answer === null) break',
    tests: ['src/features/federation/federation/simultaneous.test.ts'],
  },
  {
    name: 'a sign-in of a user who is cut off does not try again',
    file: `${FEDERATION}/complete.ts`,
    find: 'if (answer === null && (before || !known)) break',
    replace: '',
    tests: ['src/features/federation/federation/meanwhile.test.ts'],
  },
  {
    name: 'of several limits of SAML the earliest counts',
    file: 'src/features/federation/saml/assertion.ts',
    find: 'new Date(Math.min(...ends))',
    replace: 'new Date(Math.max(...ends))',
    tests: ['src/features/federation/federation/session-end.test.ts'],
  },
]
