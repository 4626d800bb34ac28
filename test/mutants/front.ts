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
]
