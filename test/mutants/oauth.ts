import type { Mutant } from './mutant.ts'

/** Tokens: rotation, replay and introspection. */
export const oauth: Mutant[] = [
  {
    name: 'the audience of an access token is checked',
    in: 'tokens/locate',
    find: '!(await isFor({ platform, directory }, claims.aud))',
    replace: 'false',
    tests: ['forged.test.ts'],
  },
  {
    name: 'a token of an ended session is inactive',
    in: 'store/liveSession',
    find: 'where ${unendedSessionText(sqlText`(select at from clock)`)}',
    replace: 'where true',
    tests: ['tokens.test.ts'],
  },
  {
    name: 'a refresh token rotates once',
    in: 'rotation',
    find: 'where present.generation = asked.generation and present.refresh_hash = asked.presented_hash)',
    replace: 'where present.generation is not null)',
    tests: ['race/sign-in.test.ts'],
  },
  {
    name: 'a replayed refresh token ends the session',
    in: 'refuseReplay',
    find: 'if (!(await revokeSession(work, session.session_id, reasons.refresh_token_reused))) return',
    replace: 'if (!reasons.refresh_token_reused) return',
    tests: ['tokens.test.ts'],
  },
  {
    name: 'a refresh passes the sign-in gates',
    in: 'tryRefresh',
    find: 'await assertMaySignIn(work, session)',
    replace: '',
    tests: ['tokens.test.ts'],
  },
  {
    name: 'a refresh compares the session epoch of the user',
    in: 'tokenSession',
    find: 'and sessions.user_epoch = u.session_epoch',
    replace: '',
    tests: ['sessions/cut-off.test.ts'],
  },
  {
    name: 'a sign-out with a replaced refresh token is not recorded as done by the user',
    in: 'provesUser',
    find: 'return refresh ? isRecent(work, session, refresh) : claims !== null',
    replace: 'return claims !== null || Boolean(work && refresh)',
    tests: ['walkers/sign-ins.test.ts'],
    only: 'sign-out',
  },
  {
    name: 'a sign-out with the id of a session is not recorded as done by the user',
    in: 'provesUser',
    find: ': claims !== null',
    replace: ': claims !== undefined',
    tests: ['walkers/sign-ins.test.ts'],
    only: 'sign-out',
  },
  {
    name: 'a sign-out with a token of an ended session is not recorded as done by the user',
    in: 'provesUser',
    find: '!session.live ||',
    replace: '',
    tests: ['walkers/sign-ins.test.ts'],
    only: 'sign-out',
  },
  {
    name: 'a sign-out by an impersonator is not recorded as done by the user',
    in: 'provesUser',
    find: '|| session.auth_method === IMPERSONATION',
    replace: '',
    tests: ['impersonation.test.ts'],
    only: 'who acts signs themselves out',
  },
]
