import type { Mutant } from './mutant.ts'

const DISCOVERY = 'src/features/discovery'
const tests = [`${DISCOVERY}/discovery.test.ts`]
const creation = [`${DISCOVERY}/create.test.ts`]
const byLink = [`${DISCOVERY}/by-link.test.ts`]

/** What a proof of a mailbox tells of organizations, and lets into. */
export const discovery: Mutant[] = [
  {
    name: 'a deactivated person does not learn that the organization of their domain is joinable',
    file: `${DISCOVERY}/discovery.ts`,
    find: 'if (person && !person.active) return null',
    replace: '',
    tests,
    only: 'deactivated person',
  },
  {
    name: 'discovery says where somebody is invited, and not there yet',
    file: 'src/features/front/discovery/store.ts',
    find: "state: is_invited ? 'invited' : 'active'",
    replace: "state: 'active'",
    tests: ['src/features/front/discovery/discovery.test.ts'],
  },
  {
    name: 'a code of discovery is good once',
    file: `${DISCOVERY}/discovery.ts`,
    find: '    if (!(await spend(work))) return null\n',
    replace: '',
    tests,
  },
  {
    name: 'a discovery token is good once in each organization',
    file: 'src/features/sign-in/otp/granted.ts',
    find: '{ spends: [codeProof({ otp_id: otpId, otp_purpose: PURPOSE })], facts }',
    replace: '{ spends: [], facts }',
    tests,
  },
  {
    name: 'who is no user joins where the domain is proved still',
    file: `${DISCOVERY}/enter.ts`,
    find: '  return (await ownsDomainOf(work, who.address.norm)) ? signUpByCode(work, who, { spends }, method) : null\n',
    replace: '  return signUpByCode(work, who, { spends }, method)\n',
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
    name: 'where codes or links are off nobody enters by one',
    file: `${DISCOVERY}/enter.ts`,
    find: '  await assertOffered(work, said.method)\n',
    replace: '',
    tests: [...tests, ...byLink],
  },
  {
    name: 'what a link does not open is not found by one',
    file: `${DISCOVERY}/discovery.ts`,
    find: '!(await isOffered(inside, method))',
    replace: "!(await isOffered(inside, 'otp'))",
    tests: byLink,
  },
  {
    name: 'who comes by a link comes by the method of links',
    file: `${DISCOVERY}/token.ts`,
    find: "{ method: 'otp', ...said }",
    replace: "{ ...said, method: 'otp' as const }",
    tests: byLink,
  },
  {
    name: 'an organization cannot say that people make organizations',
    file: `${DISCOVERY}/settings.ts`,
    find: "if (directory.kind === 'account') return",
    replace: 'if (directory.id !== null) return',
    tests: [`${DISCOVERY}/create.test.ts`],
  },
  {
    name: 'only a link of discovery discovers',
    file: `${DISCOVERY}/by-link.ts`,
    find: 'purposes: [linkPurpose] }',
    replace: "purposes: [linkPurpose, { name: 'magic_link', replaces: 'address' }] }",
    tests: byLink,
    equivalent: 'links are looked up within their directory, and no other ones are of the account level',
  },
  {
    name: 'a token makes one organization',
    file: `${DISCOVERY}/create.ts`,
    find: '    if (!(await burn(work, proof))) return null\n',
    replace: '',
    tests: creation,
  },
  {
    name: 'organizations are made where the environment says so',
    file: `${DISCOVERY}/create.ts`,
    find: '  if (!settings.discovery_create_organizations)\n',
    replace: '  if (settings.discovery_create_organizations === null)\n',
    tests: creation,
  },
  {
    name: 'a token makes an organization if it was given for that',
    file: `${DISCOVERY}/discovery.ts`,
    find: 'mayCreate ? [...directories, work.directory] : directories',
    replace: '[...directories, work.directory]',
    tests: creation,
  },
  {
    name: 'where codes are off nobody makes an organization by one',
    file: `${DISCOVERY}/create.ts`,
    find: '  await assertOffered(work, said.method)\n',
    replace: '',
    tests: creation,
  },
  {
    name: 'a mailbox makes ten organizations a day',
    file: `${DISCOVERY}/create.ts`,
    find: 'limit: PER_MAILBOX',
    replace: 'limit: PER_MAILBOX * 2',
    tests: creation,
  },
  {
    name: 'an environment has a ceiling of organizations that people make',
    file: `${DISCOVERY}/create.ts`,
    find: 'countFounding(work, perDay)',
    replace: 'countFounding(work, perDay * 2)',
    tests: creation,
  },
  {
    name: 'a founding that comes too late takes nothing of the day',
    file: `${DISCOVERY}/create.ts`,
    find: 'await count(work, [',
    replace: 'await count(work.platform, [',
    tests: creation,
  },
  {
    name: 'a network tries to make so many organizations a day',
    file: `${DISCOVERY}/create.ts`,
    find: '[ofMailbox, ...ofNetwork(work, network)]',
    replace: '[ofMailbox]',
    tests: creation,
  },
  {
    name: 'who must come by single sign-on makes no organization by their mailbox',
    file: `${DISCOVERY}/create.ts`,
    find: '  await assertNoSso(work, who)\n',
    replace: '',
    tests: creation,
  },
  {
    name: 'staging takes no slug from production, and tells nothing of those there',
    file: `${DISCOVERY}/slugs.ts`,
    find: "work.directory.environmentSlug !== 'production' || ",
    replace: '',
    tests: creation,
  },
  {
    name: 'nobody gets a slug that products keep for themselves',
    file: `${DISCOVERY}/slugs.ts`,
    find: ' || RESERVED.has(slug)',
    replace: '',
    tests: creation,
  },
  {
    name: 'nobody gets the name of the product as their slug',
    file: `${DISCOVERY}/slugs.ts`,
    find: "  return slug !== slugOf((await brandOf(work)).name, '')\n",
    replace: '  return true\n',
    tests: creation,
  },
  {
    name: 'a code of discovery ends the link of its mail',
    file: `${DISCOVERY}/by-code.ts`,
    find: '(await burn(work, proof)) && voidLinksTo(work, who, linkPurpose)',
    replace: 'burn(work, proof)',
    tests: byLink,
  },
  {
    name: 'a link of discovery ends the code of its mail',
    file: `${DISCOVERY}/by-link.ts`,
    find: "        await endOtpRows(work.db, work.directory, who.hash, 'discovery').execute()\n",
    replace: '',
    tests: byLink,
  },
  {
    name: 'a link that ends a code gives no guess at codes back',
    file: 'src/features/sign-in/otp/store.ts',
    find: '{ used_at: now, attempts: sql<number>`attempts + 1` }',
    replace: '{ used_at: now }',
    tests: byLink,
  },
  {
    name: 'of code and link of discovery at once one waits for the other',
    file: `${DISCOVERY}/by-link.ts`,
    find: `        await endOtpRows(work.db, work.directory, who.hash, 'discovery').execute()
        return consumeLink(work, link)
`,
    replace: `        const isConsumed = await consumeLink(work, link)
        await endOtpRows(work.db, work.directory, who.hash, 'discovery').execute()
        return isConsumed
`,
    tests: byLink,
  },
  {
    name: 'a discovery looks into a hundred organizations at most',
    file: `${DISCOVERY}/discovery.ts`,
    find: 'const MAX_FOUND = 100\n',
    replace: 'const MAX_FOUND = 1000\n',
    tests,
  },
  {
    name: 'the first keys of an environment are there before an organization is made',
    file: `${DISCOVERY}/create.ts`,
    find: '  await issuerOf(work.platform, work.directory.environmentId)\n',
    replace: '',
    tests: creation,
  },
  {
    name: 'a key of one organization discovers nothing',
    file: `${DISCOVERY}/routes.ts`,
    find: '  if (organizationId !== null)\n',
    replace: "  if (organizationId === '')\n",
    tests,
  },
]
