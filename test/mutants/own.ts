import type { Mutant } from './mutant.ts'

const FRESH = 'src/features/me/freshness.ts'
const MATRIX = 'test/matrix-own.test.ts'
const STEP_UP = 'src/features/me/step-up.test.ts'

/** What people do for themselves. */
export const own: Mutant[] = [
  {
    name: 'a change of a way in wants a recent proof',
    file: FRESH,
    find: 'if (age <= WITHIN_SECONDS && !lacksSecond) return facts',
    replace: 'if (!lacksSecond) return facts',
    tests: [MATRIX],
  },
  {
    name: 'a change of a way in wants the second factor of who has one',
    file: FRESH,
    find: 'if (age <= WITHIN_SECONDS && !lacksSecond) return facts',
    replace: 'if (age <= WITHIN_SECONDS) return facts',
    tests: [MATRIX],
  },
  {
    name: 'the time of a proof is that of the token, not of the session',
    file: 'src/features/tokens/authenticate.ts',
    find: "new Date(Number(claims?.['auth_time']) * 1000)",
    replace: 'new Date(session.authenticated_ms)',
    tests: [MATRIX],
  },
  {
    name: 'a refresh makes no proof recent',
    file: 'src/features/tokens/tokens.ts',
    find: 'authenticatedAt: session.authenticated_at,',
    replace: 'authenticatedAt: new Date(),',
    tests: [MATRIX, 'src/features/me/profile.test.ts'],
  },
  {
    name: 'people end their own sessions only',
    file: 'src/features/sessions/own.ts',
    find: 'sessionExists(db, directory, id, caller.directoryUserId)',
    replace: 'sessionExists(db, directory, id)',
    tests: [MATRIX],
  },
  {
    name: 'people delete their own passkeys only',
    file: 'src/features/passkeys/administration.ts',
    find: 'ownerId === null || found?.user_id === ownerId ? found : undefined',
    replace: 'found',
    tests: [MATRIX],
  },
  {
    name: 'people forget their own devices only',
    file: 'src/features/mfa/device-store.ts',
    find: ".$if(ownerId !== null, (query) => query.where('user_id', '=', ownerId ?? ''))",
    replace: '',
    tests: [MATRIX],
  },
  {
    name: 'the challenge of a step-up is of one session',
    file: 'src/features/challenges/step-up.ts',
    find: 'challenge.session_id !== session.id || facts?.user_id !== session.userId',
    replace: '!facts',
    tests: [STEP_UP],
  },
  {
    name: 'the token of a step-up is none of a sign-in',
    file: 'src/features/challenges/token.ts',
    find: "{ challenge: 'mfa_', 'step-up': 'sup_' }",
    replace: "{ challenge: 'mfa_', 'step-up': 'mfa_' }",
    tests: [STEP_UP],
    equivalent: 'the hash is of what the token is for, too',
  },
  {
    name: 'a code of somebody else proves nothing',
    file: 'src/features/otp/sign-in.ts',
    find: "attempt.outcome !== 'match' || attempt.userId !== userId",
    replace: "attempt.outcome !== 'match'",
    tests: [STEP_UP],
    equivalent: 'a code is looked up by the address of who sends it',
  },
  {
    name: 'a proof is burnt by the step-up',
    file: 'src/features/me/step-up.ts',
    find: 'if (!(await burn(work, proof, user.id))) return null',
    replace: 'if (proof === null) return null',
    tests: [STEP_UP],
  },
  {
    name: 'the present password is wanted of who has one',
    file: 'src/features/me/password.ts',
    find: 'if (!(await hasPassword(work.db, work.directory, user.id))) return null',
    replace: 'return null',
    tests: ['src/features/me/password.test.ts'],
    equivalent: 'the transaction sets a first password only where there is none',
  },
  {
    name: 'the last factor that is required stays',
    file: 'src/features/me/factors.ts',
    find: 'if (await remove(work)) throw meErrors.lastFactor()',
    replace: 'await remove(work)',
    tests: ['src/features/me/factors.test.ts'],
  },
  {
    name: 'who may come in by single sign-on alone sets no other way in',
    file: 'src/features/me/own-route.ts',
    find: 'if (wayIn) await assertIsWayIn(work, facts, wayIn)',
    replace: '',
    tests: [STEP_UP],
  },
]
