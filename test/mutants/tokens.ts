import type { Mutant } from './mutant.ts'

const KEYS = 'src/platform/crypto/signing-keys.ts'
const RULES = 'src/features/oauth/tokens/tokens.ts'
const STORE = 'src/features/oauth/tokens/store.ts'
const TOKENS = 'src/features/oauth/tokens/tokens.test.ts'
const CLAIMS = 'src/features/access/sessions/token-claims.test.ts'
const FORGED = 'src/features/oauth/tokens/forged.test.ts'

/** Access and refresh tokens, and the sessions behind them. */
export const tokens: Mutant[] = [
  {
    name: 'the algorithm of an access token is that of its key',
    file: KEYS,
    find: 'candidate.id === header.kid && candidate.algorithm === header.alg',
    replace: 'candidate.id === header.kid',
    tests: [FORGED],
    equivalent: 'jose takes no key for an algorithm of another kind',
  },
  {
    name: 'the public key of a token is no secret of an HMAC',
    file: KEYS,
    find: ` && candidate.algorithm === header.alg)
  try {
    const { payload, protectedHeader } = await jwtVerify<AccessClaims>(
      token,
      async (header) => {
        const key = trusted(header)
        if (!key) throw new Error('Unknown key')
        return key.publicKey`,
    replace: `)
  try {
    const { payload, protectedHeader } = await jwtVerify<AccessClaims>(
      token,
      async (header) => {
        const key = trusted(header)
        if (!key) throw new Error('Unknown key')
        if (header.alg?.startsWith('HS')) return Buffer.from(key.publicKey.export({ type: 'spki', format: 'pem' }))
        return key.publicKey`,
    tests: [FORGED],
  },
  {
    name: 'a token brings no key along',
    file: KEYS,
    find: "if (!key) throw new Error('Unknown key')",
    replace: "if (header.jwk) return createPublicKey({ key: header.jwk, format: 'jwk' })",
    tests: [FORGED],
  },
  {
    name: 'an access token has its own type',
    file: KEYS,
    find: "typ: 'at+jwt', currentDate",
    replace: 'currentDate',
    tests: [FORGED],
  },
  {
    name: 'an access token is of this issuer',
    file: KEYS,
    find: "{ issuer, typ: 'at+jwt'",
    replace: "{ typ: 'at+jwt'",
    tests: [FORGED],
  },
  {
    name: 'an access token is for this account',
    file: RULES,
    find: 'whenThere(isFor({ platform, directory }, claims.aud),',
    replace: 'whenThere(true,',
    tests: [FORGED],
  },
  {
    name: 'no token of an organization is one of the team, whatever its audience',
    file: 'src/features/access/sessions/token-settings.ts',
    find: 'if (audiences.some((audience) => accountOfTeam(audience) !== null))',
    replace: 'if (audiences.length > 99)',
    tests: [CLAIMS],
  },
  {
    name: 'a further claim has no name of ours',
    file: 'src/features/access/sessions/token-settings.ts',
    find: 'if (isClaimTaken(name))',
    replace: "if (isClaimTaken(name) && name === 'sub')",
    tests: [CLAIMS],
  },
  {
    name: 'further claims are small',
    file: 'src/features/access/sessions/custom-claims.ts',
    find: 'if (size > MAX_BYTES) isLarge = true',
    replace: 'if (size > 10 * MAX_BYTES) isLarge = true',
    tests: [CLAIMS],
  },
  {
    name: 'an access token has an end',
    file: KEYS,
    find: "requiredClaims: ['sub', 'sid', 'exp', 'aud']",
    replace: "requiredClaims: ['sub', 'sid', 'aud']",
    tests: [FORGED],
  },
  {
    name: 'a remembered token ends with its key',
    file: KEYS,
    find: 'published.some((key) => key.id === known.keyId) && isCurrent',
    replace: 'isCurrent',
    tests: [FORGED],
  },
  {
    name: 'a remembered token expires',
    file: KEYS,
    find: 'known.keyId) && isCurrent(known.claims, platform) ?',
    replace: 'known.keyId) ?',
    tests: [TOKENS],
  },
  {
    name: 'a refresh token is of the directory that is asked',
    file: RULES,
    find: '!presented || presented.directoryId !== work.directory.id',
    replace: '!presented',
    tests: [TOKENS],
    equivalent: 'the session is looked up in the directory that is asked, which has none of that id',
  },
  {
    name: 'a refresh token is compared with what is stored',
    file: RULES,
    find: 'if (!sameHash(session.refresh_hash, presented.hash)) throw tokenErrors.refreshTokenInvalid()',
    replace: '',
    tests: [TOKENS],
    equivalent: 'the rotation compares the hash again, and every token that bears our tag was stored',
  },
  {
    name: 'a refresh token rotates once',
    file: STORE,
    find: 'where present.generation = asked.generation and present.refresh_hash = asked.presented_hash)',
    replace: 'where present.generation is not null)',
    tests: ['test/race/sign-in.test.ts'],
  },
  {
    name: 'a session that has ended rotates no token',
    file: STORE,
    find: "and ${liveSessionText('clock.at', { directory: directory('asked'), organization: 'asked.organization_id' })}",
    replace: '',
    tests: [TOKENS, 'test/race/sign-in.test.ts'],
  },
  {
    name: 'a session that has ended refreshes nothing',
    file: RULES,
    find: 'if (!session.live) throw tokenErrors.refreshTokenInvalid()',
    replace: '',
    tests: [TOKENS],
  },
  {
    name: 'a refresh asks the door',
    file: RULES,
    find: '  await assertMaySignIn(work, session)\n',
    replace: '',
    tests: [TOKENS],
  },
  {
    name: 'a used refresh token is good for a moment',
    file: RULES,
    find: 'presented.generation !== session.generation - 1 || age === null || age > intervalSeconds',
    replace: 'presented.generation !== session.generation - 1 || age === null',
    tests: [TOKENS],
  },
  {
    name: 'a refresh token of long ago is a replay',
    file: RULES,
    find: 'presented.generation !== session.generation - 1 || age === null || age > intervalSeconds',
    replace: 'age === null || age > intervalSeconds',
    tests: [TOKENS],
    equivalent: 'what is stored of the token before is compared besides',
  },
  {
    name: 'a replayed refresh token ends the session',
    file: RULES,
    find: 'if (!(await revokeSession(work, session.session_id, reasons.refresh_token_reused))) return',
    replace: 'if (!reasons.refresh_token_reused) return',
    tests: [TOKENS],
  },
  {
    name: 'a refresh token that was rotated is not live',
    file: STORE,
    find: '(asked.refresh_hash is null or sessions.refresh_hash = asked.refresh_hash)',
    replace: '(asked.refresh_hash is null or sessions.refresh_hash is not null)',
    tests: [TOKENS],
  },
  {
    name: 'a token of an ended session is not live',
    file: STORE,
    find: "where ${unendedSessionText('(select clock_now())')}",
    replace: 'where true',
    tests: [TOKENS],
  },
  {
    name: 'a token of an inactive user is not live',
    file: STORE,
    find: 'and u.active and u.deleted_at is null and u.session_epoch',
    replace: 'and u.session_epoch',
    tests: [TOKENS],
  },
  {
    name: 'a token of a suspended organization is not live',
    file: STORE,
    find: "or (o.status = 'active' and",
    replace: 'or (true and',
    tests: [TOKENS],
  },
]
