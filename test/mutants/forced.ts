import type { Mutant } from './mutant.ts'

const ASSERTION = 'src/features/federation/saml/assertion.ts'
const ACS = 'src/features/federation/saml/acs.ts'
const FORCED_TEST = 'src/features/federation/saml/forced.test.ts'

/** What shows that the provider has asked again who it is. */
export const forced: Mutant[] = [
  {
    name: 'the answer of SAML shows that the provider has asked again',
    file: ASSERTION,
    find: "  checkSignedIn(timeOf(statement, 'AuthnInstant'), expected)\n",
    replace: '',
    tests: [FORCED_TEST],
    only: 'must show',
  },
  {
    name: 'the form of a request has the demand that is stored',
    file: 'src/features/federation/saml/pages.ts',
    find: 'writeRequest({ platform, directory }, connection, begun, login_hint)',
    replace: 'writeRequest({ platform, directory }, connection, { ...begun, forceAuthn: false }, login_hint)',
    tests: [FORCED_TEST],
    only: 'no browser',
  },
  {
    name: 'the form of a request is of the connection of its sign-in',
    file: 'src/features/federation/saml/pages.ts',
    find: 'connection.id !== begun.source || ',
    replace: '',
    tests: [FORCED_TEST],
    only: 'the form is of',
  },
  {
    name: 'what nobody asked for meets the demand of the connection',
    file: ACS,
    find: 'return force_authn ? new Date',
    replace: 'return force_authn && TTL_SECONDS < 0 ? new Date',
    tests: [FORCED_TEST],
    only: 'nobody asked',
  },
]
