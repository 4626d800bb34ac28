import type { Mutant } from './mutant.ts'

const VERIFY = 'src/features/sign-in/passkeys/webauthn.ts'
const SIGN_IN = 'src/features/sign-in/passkeys/sign-in.ts'
const CEREMONIES = 'src/features/sign-in/passkeys/ceremony-store.ts'
const STORE = 'src/features/sign-in/passkeys/store.ts'
const REGISTRATION = 'src/features/sign-in/passkeys/registration.ts'
const SIGN_IN_TESTS = 'src/features/sign-in/passkeys/sign-in.test.ts'
const PASSKEY_TESTS = 'src/features/sign-in/passkeys/passkeys.test.ts'
const RP_TESTS = 'src/features/sign-in/relying-party/settings.test.ts'
const COUNTERS = 'src/features/sign-in/passkeys/counter.test.ts'

/** WebAuthn. */
export const passkeys: Mutant[] = [
  {
    name: 'a passkey answers a page of ours',
    file: VERIFY,
    find: '!crossOrigin && acceptsOrigin(rp, origin) ? origin : null',
    replace: '!crossOrigin && rp ? origin : null',
    tests: [SIGN_IN_TESTS, PASSKEY_TESTS],
  },
  {
    name: 'a passkey answers no frame of another site',
    file: VERIFY,
    find: '&& !crossOrigin && acceptsOrigin',
    replace: '&& acceptsOrigin',
    tests: [SIGN_IN_TESTS, PASSKEY_TESTS],
  },
  {
    name: 'a passkey signs in by fingerprint, face or PIN where the settings ask for it',
    file: VERIFY,
    find: "requireUserVerification: rp.settings.user_verification === 'required',",
    replace: 'requireUserVerification: false,',
    tests: [SIGN_IN_TESTS],
  },
  {
    name: 'the counter of a passkey grows',
    file: VERIFY,
    find: "if (!credentialBackedUp && !stands && newCounter <= Number(passkey.counter)) return { refused: 'counter' }",
    replace: '',
    tests: [SIGN_IN_TESTS, COUNTERS],
    equivalent: 'the statement that opens the session compares it too',
  },
  {
    name: 'of two answers with one counter one opens a session',
    file: STORE,
    find: 'and (asked.passkey_backed_up or counter < asked.passkey_counter or (counter = 0 and asked.passkey_counter = 0))`',
    replace: '`',
    tests: ['test/race/passkeys.test.ts'],
  },
  {
    name: 'a passkey stays on its device, or does not',
    file: VERIFY,
    find: '!verified || credentialDeviceType !== passkey.device_type',
    replace: '!verified',
    tests: [SIGN_IN_TESTS],
  },
  {
    name: 'a passkey is used at the relying party that it was made for',
    file: SIGN_IN,
    find: "if (passkey?.rp_id !== ceremony.rp_id) return 'unknown_passkey'",
    replace: "if (!passkey) return 'unknown_passkey'",
    tests: [RP_TESTS, SIGN_IN_TESTS],
  },
  {
    name: 'without an address the handle of a passkey tells who it is',
    file: SIGN_IN,
    find: "if (handle === null) return isForOne ? null : 'other_user'",
    replace: 'if (handle === null) return null',
    tests: [SIGN_IN_TESTS],
  },
  {
    name: 'the handle of a passkey is that of its user',
    file: SIGN_IN,
    find: "return Buffer.from(handle, 'base64url').equals(passkey.user_handle) ? null : 'other_user'",
    replace: 'return null',
    tests: [SIGN_IN_TESTS],
  },
  {
    name: 'a challenge for one address is answered for that',
    file: SIGN_IN,
    find: "if (isForOne && !sameHash(ceremony.identity, who?.hash ?? null)) return 'challenge'",
    replace: '',
    tests: [SIGN_IN_TESTS],
    equivalent: 'the challenge has the user of the address, whose passkeys alone answer it',
  },
  {
    name: 'the passkey of another user does not answer for an address',
    file: SIGN_IN,
    find: "if (who !== null && passkey.email_norm !== who.address.norm) return 'other_user'",
    replace: '',
    tests: [SIGN_IN_TESTS],
    equivalent: 'the facts are of the user of the address, and compared with the owner of the passkey',
  },
  {
    name: 'a challenge of a passkey takes one answer',
    file: CEREMONIES,
    find: ".where('used_at', 'is', null)\n    .where('expires_at', '>', now)",
    replace: ".where('expires_at', '>', now)",
    tests: [SIGN_IN_TESTS],
  },
  {
    name: 'a challenge of a passkey expires',
    file: CEREMONIES,
    find: ".where('expires_at', '>', now)",
    replace: '',
    tests: [SIGN_IN_TESTS],
  },
  {
    name: 'a challenge to register opens no session',
    file: CEREMONIES,
    find: ".where('kind', '=', kind)",
    replace: '',
    tests: [SIGN_IN_TESTS],
  },
  {
    name: 'a challenge to register is of its user',
    file: REGISTRATION,
    find: 'if (ceremony?.user_id !== user.id) throw refusedRegistration()',
    replace: 'if (!ceremony) throw refusedRegistration()',
    tests: [PASSKEY_TESTS],
  },
  {
    name: 'who was cut off since gets no passkey',
    file: REGISTRATION,
    find: '|| user.pending_until || user.epoch !== read.epoch)',
    replace: '|| user.pending_until)',
    tests: [PASSKEY_TESTS],
  },
  {
    name: 'a passkey is registered after a sign-in of late',
    file: STORE,
    find: 'authenticated_at > clock_now() - make_interval(secs => ${session.withinSeconds}::int)',
    replace: 'true',
    tests: [PASSKEY_TESTS],
  },
  {
    name: 'who has a second factor registers a passkey after its use',
    file: STORE,
    find: ".$if(session.factors, (query) => query.where('aal', '=', 'aal2'))",
    replace: '',
    tests: ['src/features/sign-in/passkeys/recent-sign-in.test.ts'],
  },
  {
    name: 'a passkey is registered in a session of its user',
    file: STORE,
    find: ".where('user_id', '=', session.userId)\n    .where(isLiveSession(directory))",
    replace: '.where(isLiveSession(directory))',
    tests: [PASSKEY_TESTS],
  },
  {
    name: 'in production pages without TLS use no passkeys',
    file: 'src/features/sign-in/relying-party/origins.ts',
    find: "(protocol === 'http:' && hostname === 'localhost')\n}",
    replace: 'true\n}',
    tests: ['src/features/sign-in/relying-party/settings.test.ts'],
  },
  {
    name: 'a service with TLS takes no pages without for its passkeys',
    file: 'src/features/sign-in/relying-party/origins.ts',
    find: "(protocol === 'http:' && hostname === 'localhost')\n}",
    replace: "hostname === 'localhost'\n}",
    tests: ['src/features/sign-in/relying-party/settings.test.ts'],
  },
]
