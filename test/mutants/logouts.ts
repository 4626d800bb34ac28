import type { Mutant } from './mutant.ts'

const FEDERATION = 'src/features/federation'
const OIDC = ['src/features/oidc/rp-logout.test.ts']
const THERE = 'src/features/ties'
const OIDC_SCOPE = ['src/features/oidc/logout-scope.test.ts']
const SAML_SCOPE = ['src/features/saml/logout-scope.test.ts']
const SAML = ['src/features/saml/sp-logout.test.ts']

/** Logouts that begin here and go on at a provider, and which connections may begin one there. */
export const logouts: Mutant[] = [
  {
    name: 'a request of SAML to log out is of no inactive connection',
    file: 'src/features/saml/logout.ts',
    find: " || found.connection.status !== 'active'",
    replace: '',
    tests: ['src/features/saml/logout.test.ts'],
  },
  {
    name: 'a refresh token that was used already learns nothing of who signed in',
    file: 'src/features/tokens/tokens.ts',
    find: '  if (refresh && !(session &&',
    replace: '  if (!session && !(session &&',
    tests: OIDC,
  },
  {
    name: 'a refresh token that was used already is old after a while',
    file: 'src/features/tokens/tokens.ts',
    find: 'return age !== null && age <= interval && ',
    replace: 'return age !== null && interval > 0 && ',
    tests: OIDC,
  },
  {
    name: 'a logout leads to addresses of the list alone, at the start',
    file: 'src/features/tokens/tokens.ts',
    find: '  if (directory) await assertRedirectAllowed({ ...work, directory }, redirectUri)\n',
    replace: '',
    tests: OIDC,
  },
  {
    name: 'a logout leads to addresses of the list alone, in the end',
    file: `${FEDERATION}/hand-back.ts`,
    find: '  await assertRedirectAllowed(work, redirectUri)\n',
    replace: '',
    tests: OIDC,
  },
  {
    name: 'an ID token goes to the provider that issued it',
    file: 'src/features/oidc/rp-logout.ts',
    find: 'issuer !== signedInAt || ',
    replace: '',
    tests: OIDC,
  },
  {
    name: 'an ID token goes with the client that it was issued to',
    file: 'src/features/oidc/rp-logout.ts',
    find: ' || !audienceOf(hint).includes(clientId)',
    replace: '',
    tests: OIDC,
  },
  {
    name: 'a name of SAML goes to the provider that gave it',
    file: 'src/features/saml/sp-logout.ts',
    find: 'target === null || idp_entity_id !== demand.issuer',
    replace: 'target === null',
    tests: SAML,
  },
  {
    name: 'the answer to a logout answers this one',
    file: 'src/features/saml/sp-logout.ts',
    find: "if (attributeOf(root, 'InResponseTo') !== posted.requestId)",
    replace: 'if (posted.requestId === null)',
    tests: SAML,
  },
  {
    name: 'the answer to a logout comes to its connection',
    file: 'src/features/saml/sp-logout.ts',
    find: ' || connection.id !== posted.connectionId.toLowerCase()',
    replace: '',
    tests: SAML,
  },
  {
    name: 'the answer to a logout is signed',
    file: 'src/features/saml/logout-message.ts',
    find: "if (!signatureOf(root)) throw new SamlRefusal('not_signed', 'The message is not signed.')",
    replace: 'if (!signatureOf(root)) return root',
    tests: SAML,
  },
  {
    name: 'the form of a logout is of its connection',
    file: 'src/features/saml/pages.ts',
    find: 'connection.id !== demand.source || ',
    replace: '',
    tests: SAML,
  },
  {
    name: 'a logout of a session ends no other',
    file: `${THERE}/store.ts`,
    find: `  if (sessions.length === 0) return isPerson\n`,
    replace: `  if (sessions.length >= 0) return isPerson\n`,
    tests: OIDC_SCOPE,
  },
  {
    name: 'the name of a session is that of its connection',
    file: `${THERE}/names.ts`,
    find: 'use, namer.source, namer.issuer',
    replace: 'use, namer.issuer',
    tests: OIDC_SCOPE,
  },
  {
    name: 'of a logout person and session both must fit',
    file: `${THERE}/store.ts`,
    find: `return sql<SqlBool>\`\${isPerson} and (\${isSession} or provider_session_hash is null)\``,
    replace: 'return isSession',
    tests: OIDC_SCOPE,
  },
  {
    name: 'a session that goes on as another keeps its name at the provider',
    file: `${THERE}/store.ts`,
    find: '      tie.provider_session_hash, ready.at',
    replace: '      null, ready.at',
    tests: OIDC_SCOPE,
  },
  {
    name: 'a logout at the provider ends codes',
    file: 'src/features/federation/identities.ts',
    find: `    await deleteNamedCodeRows(db, directory, there)\n`,
    replace: '',
    tests: OIDC_SCOPE,
  },
  {
    name: 'a logout at the provider ends challenges',
    file: `${THERE}/logout.ts`,
    find: 'isEverySession || row.session_id === null',
    replace: 'isEverySession',
    tests: OIDC_SCOPE,
  },
  {
    name: 'a logout of a person ends what came by this connection alone',
    file: `${THERE}/logout.ts`,
    find: `  await revokeSessions(work, [...tied.map(({ id }) => id), ...nameless], reason)\n  return found`,
    replace: `  await revokeSessions(work, (await db.selectFrom('sessions').select('id').execute()).map(({ id }) => id), reason)\n  return found`,
    tests: OIDC_SCOPE,
  },
  {
    name: 'a name of SAML has its format and its qualifiers',
    file: 'src/features/descriptors/name.ts',
    find: '  return [format, unless',
    replace: '  return [String(unless(value, value)), unless',
    tests: SAML_SCOPE,
  },
  {
    name: 'a name of SAML is no attribute that says who somebody is',
    file: 'src/features/saml/logout.ts',
    find: 'connection.attribute_mapping.subject === undefined ? nameId.value : null',
    replace: 'nameId.value',
    tests: SAML_SCOPE,
  },
  {
    name: 'a name of nobody is told from one who is signed out',
    file: 'src/features/saml/logout.ts',
    find: 'isKnown ? [SUCCESS] : [REQUESTER, UNKNOWN_PRINCIPAL]',
    replace: '[SUCCESS]',
    tests: SAML_SCOPE,
  },
]
