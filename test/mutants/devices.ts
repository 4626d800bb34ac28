import type { Mutant } from './mutant.ts'

const DEVICES = 'src/features/sign-in/devices/devices.test.ts'
const NOTICES = 'src/features/sign-in/devices/notices.ts'
const STORE = 'src/features/sign-in/devices/store.ts'

/** Notices of sign-ins from new devices. */
export const devices: Mutant[] = [
  {
    name: 'nobody is told at an address that was not proved',
    file: NOTICES,
    find: '!user?.email_verified',
    replace: '!user',
    tests: [DEVICES],
  },
  {
    name: 'what was before the proof of a mailbox makes no device known',
    file: NOTICES,
    find: 'endedFor !== mailboxProved',
    replace: 'true',
    tests: [DEVICES],
  },
  {
    name: 'the mails of a day have a limit',
    file: NOTICES,
    find: 'newOfDay >= MAX_MAILS',
    replace: 'false',
    tests: [DEVICES],
  },
  {
    name: 'who acts for somebody is no device of theirs',
    file: STORE,
    find: "e.data ->> 'auth_method' <> ${actingMethod}",
    replace: "${actingMethod} <> ''",
    tests: [DEVICES],
  },
  {
    name: 'the row of a device decides who mails',
    file: STORE,
    find: 'return { isNew: !is_known,',
    replace: 'return { isNew: true,',
    tests: [DEVICES],
  },
  {
    name: 'the first device of a person outlives the clean-up',
    file: 'src/features/sign-in/devices/cleanup.ts',
    find: 'not is_first and seen_at',
    replace: 'seen_at',
    tests: [DEVICES],
  },
  {
    name: 'the devices of a person have a limit',
    file: STORE,
    find: 'if (count >= MAX_DEVICES)',
    replace: 'if (count < 0)',
    tests: [DEVICES],
  },
  {
    name: 'a disowned device is not known any more, nor any that was new then',
    file: STORE,
    find: 'and (device_hash = ${hash} or first_seen_at >= ${sinceOf(sinceSeconds)})',
    replace: 'and device_hash = ${hash}',
    tests: [DEVICES],
  },
  {
    name: 'devices that were new before the one of the link are forgotten with it',
    file: 'src/features/sign-in/devices/disown.ts',
    find: 'link.age_seconds + BEFORE_SECONDS',
    replace: 'link.age_seconds + 60',
    tests: [DEVICES],
  },
  {
    name: 'a link about a device outlives another about another',
    file: 'src/features/sign-in/devices/disown.ts',
    find: "  replaces: 'none',\n",
    replace: '',
    tests: [DEVICES],
  },
  {
    name: 'the link about a device outlives a new password',
    file: 'src/features/sign-in/devices/disown.ts',
    find: 'endsBy: [reasons.sign_in_disowned],',
    replace: '',
    tests: [DEVICES],
  },
  {
    name: 'what a program calls itself is not in the mail',
    file: 'src/features/sign-in/devices/emails.ts',
    find: 'const { browser, system } = readAgent(userAgent)',
    replace: 'const { browser, system } = { ...readAgent(userAgent), browser: userAgent }',
    tests: [DEVICES],
  },
]
