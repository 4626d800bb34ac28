import type { Mutant } from './mutant.ts'

/** Routes of a signed-in user (`/v1/me`), and discovery. */
export const front: Mutant[] = [
  {
    name: 'changing a sign-in method requires a recent proof',
    in: 'assertRecent',
    find: 'if (age <= WITHIN_SECONDS && !lacksSecond) return facts',
    replace: 'if (!lacksSecond) return facts',
    tests: ['matrix-own.test.ts'],
  },
  {
    name: 'changing a sign-in method requires the enrolled second factor',
    in: 'assertRecent',
    find: 'if (age <= WITHIN_SECONDS && !lacksSecond) return facts',
    replace: 'if (age <= WITHIN_SECONDS) return facts',
    tests: ['matrix-own.test.ts'],
  },
  {
    name: 'a discovery code works once',
    in: 'discover',
    find: 'if (!(await spend(work))) return null',
    replace: '',
    tests: ['discovery.test.ts'],
  },
  {
    name: 'a new user joins only by a verified domain',
    in: 'enter/admit',
    find: '(await ownsDomainOf(work, who.address.norm))',
    replace: 'who.address',
    tests: ['discovery.test.ts'],
  },
  {
    name: 'a discovery token of a passkey enters an organization once',
    in: 'enterByPasskey',
    find: '...granted.spends, ',
    replace: '',
    tests: ['in-environment.test.ts'],
    only: 'several organizations',
  },
  {
    name: 'a discovery token of a passkey does not outlive a later use of it',
    in: 'enterByPasskey',
    find: ', ...proof.spends',
    replace: '',
    tests: ['in-environment.test.ts'],
    only: 'closed since',
  },
  {
    name: 'a discovery token of a passkey ends with the access of its user',
    in: 'by-passkey/look',
    find: 'identity: owner.hash',
    replace: 'identity: Buffer.from(passkey.id)',
    tests: ['in-environment.test.ts'],
    only: 'closed since',
  },
  {
    name: 'a discovery token of a passkey makes no organization',
    in: 'createByToken',
    find: "!said || said.method === 'passkey'",
    replace: '!said',
    tests: ['in-environment.test.ts'],
    only: 'several organizations',
  },
]
