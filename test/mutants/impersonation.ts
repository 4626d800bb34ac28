import type { Mutant } from './mutant.ts'

const FOLDER = 'src/features/impersonation'
const tests = [`${FOLDER}/impersonation.test.ts`]

/** What somebody who acts for a user may do, and who learns of it. */
export const impersonation: Mutant[] = [
  {
    name: 'a sign-up with an unproved mailbox is not impersonated',
    file: `${FOLDER}/impersonation.ts`,
    find: 'if (!facts?.auth_account_id || facts.pending)',
    replace: 'if (!facts?.auth_account_id)',
    tests,
    only: 'unproved',
  },
  {
    name: 'the organization allows it',
    file: `${FOLDER}/impersonation.ts`,
    find: 'if (!impersonation_enabled || work.directory.organizationId === null)',
    replace: 'if (work.directory.organizationId === null)',
    tests,
  },
  {
    name: 'it is allowed by each organization for itself',
    file: `${FOLDER}/settings.ts`,
    find: "if (patch['impersonation_enabled'] === true && directory.organizationId === null)",
    replace: 'if (directory.environmentId === patch)',
    tests,
  },
  {
    name: 'who acts for somebody only reads',
    file: 'src/platform/http/entry.ts',
    find: "if (caller.kind === 'user' && caller.isImpersonated && route.method !== 'GET')",
    replace: "if (caller.kind === 'user' && caller.isImpersonated && route.method === 'PUT')",
    tests,
  },
  {
    name: 'the token says who acts',
    file: 'src/features/access/sessions/tokens.ts',
    find: '...(session.act ? { act: session.act } : {}),',
    replace: '',
    tests,
  },
  {
    name: 'whoever could not sign in is not acted for',
    file: 'src/features/access/login/acting.ts',
    find: '  await assertMaySignIn(work, facts)\n',
    replace: '',
    tests,
  },
  {
    name: 'who acts takes no session of the user',
    file: 'src/features/access/sessions/store.ts',
    find: "    .where('auth_method', '<>', IMPERSONATION)\n",
    replace: '',
    tests,
  },
  {
    name: 'a member of the team acts as who they are',
    file: `${FOLDER}/impersonation.ts`,
    find: "if (caller.kind === 'key') {",
    replace: 'if (named !== undefined) {',
    tests,
  },
  {
    name: 'it lasts no longer than an access token',
    file: `${FOLDER}/impersonation.ts`,
    find: 'Math.min(wish.durationSeconds, access_token_ttl_seconds)',
    replace: 'wish.durationSeconds',
    tests,
  },
  {
    name: 'the end of one with the organization is recorded',
    file: `${FOLDER}/store.ts`,
    find: 'and sessions.organization_epoch = coalesce(organizations.session_epoch, 0)',
    replace: '',
    tests,
  },
  {
    name: 'a backend that passes on the token of who acts changes nothing',
    file: 'src/features/access/sessions/own.ts',
    find: "  if (claims?.['act'] !== undefined) throw httpErrors.impersonationReadOnly()\n",
    replace: '',
    tests,
  },
  {
    name: 'who acts does not sign the user out',
    file: 'src/features/oauth/tokens/tokens.ts',
    find: 'body.everywhere && session.auth_method !== IMPERSONATION',
    replace: 'body.everywhere',
    tests,
  },
  {
    name: 'who acts without the consent that was withdrawn is stopped',
    file: `${FOLDER}/ending.ts`,
    find: '[endAllWithoutConsent, announceAll]',
    replace: '[announceAll]',
    tests,
  },
  {
    name: 'nobody is acted for without end',
    file: `${FOLDER}/impersonation.ts`,
    find: '  await countAct(work, idBytes(user.id), [LIMIT])\n',
    replace: '',
    tests,
  },
]
