import type { Mutant } from './mutant.ts'

const FEDERATION = 'src/features/federation'
const OIDC = ['src/features/oidc/rp-logout.test.ts']
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
    name: 'the state of a logout is not that of a sign-in',
    file: `${FEDERATION}/logout.ts`,
    find: "return directory && row?.method === 'sso_logout'",
    replace: 'return directory && row',
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
]
