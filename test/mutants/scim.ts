import type { Mutant } from './mutant.ts'

const READER = 'src/features/provisioning/language/reader.ts'
const SQL = 'src/features/provisioning/language/filter-sql.ts'
const NORMALISE = 'src/features/provisioning/language/normalise.ts'
const MATCH = 'src/features/provisioning/language/filter-match.ts'
const MEMBERS = 'src/features/provisioning/language/members.ts'
const PATCH = 'src/features/provisioning/language/patch.ts'
const FILTER_TEST = 'src/features/provisioning/language/filter.test.ts'
const PATH_TEST = 'src/features/provisioning/language/path.test.ts'
const SQL_TEST = 'src/features/provisioning/language/filter-sql.test.ts'
const NORMALISE_TEST = 'src/features/provisioning/language/normalise.test.ts'
const MEMBERS_TEST = 'src/features/provisioning/language/members.test.ts'
const BUDGET = 'src/features/provisioning/language/budget.ts'
const COST_TEST = 'src/features/provisioning/language/patch-cost.test.ts'
const REPLAY = 'src/features/provisioning/bulk/replay.ts'
const PATCH_TEST = 'src/features/provisioning/language/patch.test.ts'

/** What a client of provisioning may say, and how much of it. */
export const scim: Mutant[] = [
  {
    name: 'a filter of SCIM has a bounded depth',
    file: READER,
    find: 'if (reader.depth >= MAX_DEPTH)',
    replace: 'if (reader.depth >= 1_000_000)',
    tests: [FILTER_TEST],
    only: 'is refused',
  },
  {
    name: 'a filter of SCIM has text that PostgreSQL can be told',
    file: READER,
    find: "if (value === null || value.includes('\\0') || !value.isWellFormed()) {",
    replace: 'if (value === null) {',
    tests: [FILTER_TEST],
    only: 'is refused',
  },
  {
    name: 'no path of SCIM leads to a prototype',
    file: READER,
    find: 'return NAME.test(word) && !isDangerous(word)',
    replace: 'return NAME.test(word)',
    tests: [PATH_TEST],
    only: 'constructor',
  },
  {
    name: 'no resource of SCIM has a name that leads to a prototype',
    file: NORMALISE,
    find: 'if (isDangerous(name))',
    replace: 'if (name === null)',
    tests: [NORMALISE_TEST],
    only: 'constructor',
  },
  {
    name: 'a resource of SCIM has a bounded depth',
    file: NORMALISE,
    find: 'if (depth > LIMITS.depth)',
    replace: 'if (depth > 1_000_000)',
    tests: [NORMALISE_TEST],
    only: 'depth',
  },
  {
    name: 'what is read-only stays as it is, whatever a client of SCIM sends',
    file: NORMALISE,
    find: "return attribute.mutability === 'readOnly' ? undefined : normaliseValue(attribute, value, label)",
    replace: 'return normaliseValue(attribute, value, label)',
    tests: [NORMALISE_TEST],
    only: 'read-only',
  },
  {
    name: 'no PATCH of SCIM changes what is read-only',
    file: PATCH,
    find: 'if (isReadOnly(place)) {',
    replace: 'if (isReadOnly(place) && text.length > 1_000) {',
    tests: [PATCH_TEST],
    only: 'remove of groups',
  },
  {
    name: 'a PATCH of SCIM compares a bounded number of values',
    file: BUDGET,
    find: "if (budget.left < 0) throw new ScimLanguageError('tooMany', 'The request compares too many values.')",
    replace: '',
    tests: [PATCH_TEST],
    only: 'compares too much',
  },
  {
    name: 'a PATCH of SCIM looks for names among a bounded number',
    file: PATCH,
    find: '  spend(patch.budget, widthOf(patch.draft))',
    replace: '',
    tests: [COST_TEST],
    only: 'names that no schema knows',
  },
  {
    name: 'a PATCH of SCIM asks of a bounded number of values whether they are there',
    file: MATCH,
    find: '    spend(budget, 1)',
    replace: '',
    tests: [COST_TEST],
    only: 'asked often',
  },
  {
    name: 'members that Microsoft Entra names are removed, and no others',
    file: MEMBERS,
    find: 'else if (value === undefined || value === null) replaceMembers(changes, [])',
    replace: 'else if (value !== 0) replaceMembers(changes, [])',
    tests: [MEMBERS_TEST],
    only: 'named',
  },
  {
    name: 'the wildcards of LIKE are letters to a filter of SCIM',
    file: SQL,
    find: "return text.replace(/[\\\\%_]/g, '\\\\$&')",
    replace: 'return text',
    tests: [SQL_TEST],
    only: 'in memory',
  },
  {
    name: 'what a row does not have is not what a filter of SCIM excludes',
    file: SQL,
    find: 'return sql`((${condition}) is not true)`',
    replace: 'return sql`(not (${condition}))`',
    tests: [SQL_TEST],
    only: 'in memory',
  },
  {
    name: 'a filter of SCIM looks for no part of an id',
    file: SQL,
    find: ", operators: ['eq', 'ne'] }",
    replace: ' }',
    tests: ['src/features/provisioning/scim/conformance-groups.test.ts'],
    only: 'no index answers',
  },
  {
    name: 'a filter of SCIM asks of multi-valued attributes a bounded number of times',
    file: 'src/features/provisioning/scim/list.ts',
    find: 'if (countQuestions(filter, targets) <= MAX_QUESTIONS)',
    replace: 'if (countQuestions(filter, targets) <= 1_000)',
    tests: ['src/features/provisioning/scim/conformance-groups.test.ts'],
    only: 'ten times',
  },
  {
    name: 'a cursor of SCIM belongs to its organization',
    file: 'src/features/provisioning/scim/list.ts',
    find: 'JSON.stringify([directory.id, path,',
    replace: 'JSON.stringify([path,',
    tests: ['src/features/provisioning/scim/conformance-lists.test.ts'],
    only: 'invalidCursor',
  },
  {
    name: 'who comes in the place of one whom a client of SCIM deleted gets nothing of theirs',
    file: 'src/features/provisioning/provisioning/provision.ts',
    find: 'return succeed(work, same, given, { ownsDomain, locked })',
    replace: 'return bringBack(work, same, given, ownsDomain)',
    tests: ['src/features/provisioning/scim/conformance-users.test.ts'],
    only: 'free for another one',
  },
  {
    name: 'an address that a client of SCIM vouches for is not folded into that of another person',
    file: 'src/platform/mail/address.ts',
    find: "  if (!address || text !== text.normalize('NFKC')) return null",
    replace: '  return address',
    tests: ['src/features/provisioning/provisioning/access.test.ts'],
    only: 'only like that of another person',
  },
  {
    name: 'a SCIM token that has ended is refused before other processes hear of it',
    file: 'src/features/provisioning/scim/admission.ts',
    find: 'if (found && !found.works)',
    replace: 'if (found === null)',
    tests: ['test/race/provisioning.test.ts'],
    only: 'heeded by the request',
  },
  {
    name: 'bulk requests of an organization take turns',
    file: 'src/features/provisioning/bulk/run.ts',
    find: 'perOwner: 3,',
    replace: 'perOwner: 4,',
    tests: ['src/features/provisioning/bulk/bulk.test.ts'],
    only: 'two are under way',
  },
  {
    name: 'each operation of a bulk request is admitted',
    file: 'src/features/provisioning/bulk/run.ts',
    find: '    return await run(await admit(work))',
    replace: "    return await run({ sso_connection_id: null, on_deprovision: 'deactivate' })",
    tests: ['src/features/provisioning/bulk/bulk.test.ts'],
    only: 'ends meanwhile',
  },
  {
    name: 'a search that an index serves is not refused for its time',
    file: 'src/features/provisioning/scim/find-page.ts',
    find: 'if (list.isBroad && sqlState(error)',
    replace: 'if (sqlState(error)',
    tests: ['src/features/provisioning/provisioning/too-many.test.ts'],
  },
  {
    name: 'an accepted SCIM write is not repeated',
    file: REPLAY,
    find: ' || log.status < 400',
    replace: '',
    tests: ['src/features/provisioning/bulk/replay.test.ts'],
    only: 'an accepted write is not repeated',
  },
  {
    name: 'repeating a SCIM write needs the roles that its groups give',
    file: REPLAY,
    find: '  await assertMayProvision(work)\n',
    replace: '',
    tests: ['src/features/directory/roles/escalation.test.ts'],
    only: 'nor repeats a write that gives it',
  },
]
