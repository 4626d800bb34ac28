import type { Mutant } from './mutant.ts'

const CLAIMS = 'src/features/directory/domains/claims.ts'
const VERIFICATION = 'src/features/directory/domains/verification.ts'
const RECHECK = 'src/features/directory/domains/recheck.ts'
const NAME = 'src/features/directory/domains/name.ts'
const LAYOUT = 'src/platform/pages/page-layout.ts'
const DOMAINS_TEST = 'src/features/directory/domains/domains.test.ts'
const RECHECK_TEST = 'src/features/directory/domains/recheck.test.ts'

/** Whose a domain is, and what pages load of a brand. */
export const domains: Mutant[] = [
  {
    name: 'one organization of an environment has a domain',
    file: VERIFICATION,
    find: "if (isUniqueViolation(error, 'domains_one_owner')) throw domainErrors.claimed()",
    replace: '',
    tests: [DOMAINS_TEST],
    only: 'organization',
  },
  {
    name: 'a domain that another organization has is not added',
    file: CLAIMS,
    find: 'if (await isVerifiedElsewhere(db, directory, domain)) throw domainErrors.claimed()',
    replace: '',
    tests: [DOMAINS_TEST],
    only: 'one organization',
  },
  {
    name: 'an organization proves a domain once',
    file: VERIFICATION,
    find: '  await holdOrganization(work)\n',
    replace: '',
    tests: [DOMAINS_TEST],
    only: 'by two processes',
  },
  {
    name: 'an archived organization adds no domain',
    file: CLAIMS,
    find: " || organization.status === 'archived'",
    replace: '',
    tests: [DOMAINS_TEST],
    only: 'one organization',
  },
  {
    name: 'an organization has a bounded number of domains',
    file: CLAIMS,
    find: 'if (present.length >= MAX_DOMAINS) throw domainErrors.limitReached()',
    replace: '',
    tests: [DOMAINS_TEST],
    only: 'twenty',
  },
  {
    name: 'domains are counted one organization at a time',
    file: CLAIMS,
    find: '  const organization = await lockOrganizationRow(db, directory)',
    replace: "  const organization = { status: db && 'active' }",
    tests: [DOMAINS_TEST],
    only: 'twenty',
  },
  {
    name: 'checks that are asked for are bounded',
    file: VERIFICATION,
    find: '  await countAct(work, idBytes(directory.id), [CHECKS])\n',
    replace: '',
    tests: [DOMAINS_TEST],
    only: 'sixty',
  },
  {
    name: 'a record is the whole value',
    file: 'src/features/directory/domains/challenge.ts',
    find: 'text.trim() === value',
    replace: 'text.includes(value)',
    tests: [DOMAINS_TEST],
    only: 'the DNS has',
  },
  {
    name: 'public suffixes are nobody’s',
    file: NAME,
    find: 'if (getPublicSuffix(name, SUFFIXES) === name)',
    replace: "if (name === '')",
    tests: [DOMAINS_TEST],
    only: 'everybody',
  },
  {
    name: 'public mail services are nobody’s',
    file: NAME,
    find: 'if (PUBLIC_MAIL.has(registered))',
    replace: 'if (PUBLIC_MAIL.has(`${registered}.`))',
    tests: [DOMAINS_TEST],
    only: 'everybody',
  },
  {
    name: 'an address in other notations is no domain',
    file: NAME,
    find: "  if (isIP(name)) throw invalid('an IP address is no domain')\n",
    replace: '',
    tests: [DOMAINS_TEST],
    only: 'IP address',
  },
  {
    name: 'a name of mixed scripts is shown in ASCII',
    file: 'src/features/directory/domains/unicode.ts',
    find: 'return (scripts.size === 1 || isTogether) && !LOOKALIKES.test(label)',
    replace: 'return !LOOKALIKES.test(label)',
    tests: [DOMAINS_TEST],
    only: 'other scripts',
  },
  {
    name: 'a name of letters that look Latin is shown in ASCII',
    file: 'src/features/directory/domains/unicode.ts',
    find: ' && !LOOKALIKES.test(label)',
    replace: '',
    tests: [DOMAINS_TEST],
    only: 'other scripts',
  },
  {
    name: 'only several checks over days take a domain away',
    file: RECHECK,
    find: 'const CHECKS_TO_LOSE = 4',
    replace: 'const CHECKS_TO_LOSE = 1',
    tests: [RECHECK_TEST],
  },
  {
    name: 'a domain whose record is gone is lost',
    file: RECHECK,
    find: 'const isLost = failed_checks >= CHECKS_TO_LOSE ||',
    replace: 'const isLost =',
    tests: [RECHECK_TEST],
  },
  {
    name: 'a check that runs twice counts once',
    file: RECHECK,
    find: '    if (row.failed_checks !== Number(failedChecks)) return\n',
    replace: '',
    tests: [RECHECK_TEST],
  },
  {
    name: 'a DNS that fails is no record that is gone',
    file: RECHECK,
    find: "(error === 'dns_unavailable' ? 0 : 1)",
    replace: '1',
    tests: [RECHECK_TEST],
  },
  {
    name: 'a page loads images from the origin of the logo alone',
    file: LAYOUT,
    find: 'policyOf(`data:${sourceOf(brand.logoUrl)}`',
    replace: "policyOf('data: https:'",
    tests: ['src/platform/pages/pages.test.ts'],
  },
  {
    name: 'no host adds a directive to the policy of a page',
    file: LAYOUT,
    find: "return SOURCE.test(origin) ? ` ${origin}` : ''",
    replace: 'return ` ${origin}`',
    tests: ['src/platform/pages/pages.test.ts'],
  },
  {
    name: 'a logo is of a host that a policy can name',
    file: 'src/platform/mail/settings.ts',
    find: ' || !/^[a-z\\d.[\\]:-]+$/.test(url.host)',
    replace: '',
    tests: ['src/features/tenancy/admin-portal/admin-portal.test.ts'],
  },
]
