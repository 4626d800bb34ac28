import type { Mutant } from './mutant.ts'

const DISCOVERY = 'src/features/discovery'
const tests = [`${DISCOVERY}/discovery.test.ts`]

/** What a proof of a mailbox tells of organizations, and lets into. */
export const discovery: Mutant[] = [
  {
    name: 'a code of discovery is good once',
    file: `${DISCOVERY}/discovery.ts`,
    find: '    if (!(await burn(work, proof))) return null\n',
    replace: '',
    tests,
  },
  {
    name: 'a discovery token is good once in each organization',
    file: 'src/features/otp/granted.ts',
    find: '{ spends: [codeProof({ otp_id: otpId, otp_purpose: PURPOSE })], facts }',
    replace: '{ spends: [], facts }',
    tests,
  },
  {
    name: 'who is no user joins where the domain is proved still',
    file: `${DISCOVERY}/discovery.ts`,
    find: '  return (await ownsDomainOf(work, who.address.norm)) ? signUpByCode(work, who, spends) : null\n',
    replace: '  return signUpByCode(work, who, spends)\n',
    tests,
  },
  {
    name: 'an organization that is not active is not found',
    file: `${DISCOVERY}/store.ts`,
    find: "    .where('o.status', '=', 'active')\n    .orderBy(sql",
    replace: '    .orderBy(sql',
    tests,
  },
  {
    name: 'where codes are off nobody enters by one',
    file: `${DISCOVERY}/discovery.ts`,
    find: '  await mailedCodeSettings(work)\n  const said',
    replace: '  const said',
    tests,
  },
  {
    name: 'a key of one organization discovers nothing',
    file: `${DISCOVERY}/routes.ts`,
    find: '  if (organizationId !== null)\n',
    replace: "  if (organizationId === '')\n",
    tests,
  },
]
