import type { Mutant } from './mutant.ts'

const MATCH = 'src/features/provisioning/match.ts'
const PROVISION = 'src/features/provisioning/provision.ts'
const COMPLETE = 'src/features/federation/complete.ts'
const MATCHING_TEST = ['test/matching.test.ts']
const HOSTILE_TEST = ['test/matching-hostile.test.ts']

const first = (mutant: Omit<Mutant, 'tests'> & { tests?: string[] }): Mutant => ({
  tests: MATCHING_TEST,
  ...mutant,
  name: `first contact: ${mutant.name}`,
})

/** Who a person is who signs in, or is provisioned, for the first time. */
export const firstContact: Mutant[] = [
  first({
    name: 'a value of several users matches none',
    file: MATCH,
    find: 'if (others.length > 0 || contradicts',
    replace: 'if (contradicts',
  }),
  first({
    name: 'the userName of one and the address of another match neither',
    file: MATCH,
    find: ' || contradicts(level, user, { levels, said })',
    replace: '',
  }),
  first({
    name: 'a connection opens users of its domains alone',
    file: MATCH,
    find: '!isNamed || ',
    replace: '',
  }),
  first({
    name: 'a match needs a verified domain',
    file: MATCH,
    find: 'isLinked && decided.level ===',
    replace: 'decided.level ===',
    tests: ['test/matching-names.test.ts'],
  }),
  first({
    name: 'a match by name needs a verified domain at the linked connection, too',
    file: MATCH,
    find: "isTrusted: isLinked && decided.level === 'external_id'",
    replace: 'isTrusted: isLinked',
  }),
  first({
    name: 'another connection than the linked one has other externalIds',
    file: MATCH,
    find: 'return isLinked || (isClaimNamed && hasAddress(row, emailNorm)) ? row : null',
    replace: 'return row',
    tests: ['test/matching-names.test.ts'],
  }),
  first({
    name: 'a person that the client has deleted becomes no other user',
    file: MATCH,
    find: "    otherwise = refused('user_inactive', DEPROVISIONED)\n",
    replace: '',
  }),
  first({
    name: 'the owner of a main address comes before other users of it',
    file: MATCH,
    find: "'address', 'secondary_address'",
    replace: "'secondary_address', 'address'",
    tests: ['test/matching-names.test.ts'],
  }),
  first({
    name: 'names count at the linked connection alone, and beside no denied address',
    file: MATCH,
    find: '!isLinked || isDenied || ',
    replace: '',
    tests: ['test/matching-names.test.ts'],
  }),
  first({
    name: 'a name that people choose counts beside an address of the same user alone',
    file: MATCH,
    find: 'principalNames.some(isNamed) || hasAddress(row, statedNorm)',
    replace: 'principalNames.some(isNamed) || emailNorm !== row.email_norm',
    tests: ['test/matching-names.test.ts'],
  }),
  first({
    name: 'a missing address is no agreement with a name that people choose',
    file: MATCH,
    find: 'principalNames.some(isNamed) || hasAddress(row, statedNorm)',
    replace: 'principalNames.some(isNamed) || statedNorm === null || hasAddress(row, statedNorm)',
    tests: HOSTILE_TEST,
  }),
  first({
    name: 'a subject of a deleted user becomes no other user',
    file: 'src/features/provisioning/store.ts',
    find: "concat_ws(e'\\\\n', source, issuer, subject)",
    replace: 'subject',
    tests: HOSTILE_TEST,
  }),
  first({
    name: 'a user that the client adds again comes before the subject of the deleted one',
    file: MATCH,
    find: "['external_id', 'user_name', 'address', 'secondary_address', 'unproved_address', 'subject']",
    replace: "['subject', 'external_id', 'user_name', 'address', 'secondary_address', 'unproved_address']",
    tests: HOSTILE_TEST,
  }),
  first({
    name: 'a sign-up without a proof of the mailbox owns no address',
    file: 'src/features/provisioning/match-store.ts',
    find: 'not users.email_verified and users.source',
    replace: 'false and users.source',
    tests: HOSTILE_TEST,
  }),
  first({
    name: 'another externalId than the claim of scim_match says is another person',
    file: MATCH,
    find: 'isLinked && hasOtherId(user, said)',
    replace: 'isLinked && !hasOtherId',
    tests: HOSTILE_TEST,
  }),
  first({
    name: 'without the claim of scim_match nobody becomes a user',
    file: 'src/features/federation/recognise.ts',
    find: 'isProvisioning && rules.isClaimNamed && (arrival',
    replace: 'isProvisioning && !rules && (arrival',
    tests: HOSTILE_TEST,
  }),
  first({
    name: 'preferred_username is no assigned name',
    file: 'src/features/oidc/person.ts',
    find: "principalNames: toIdentifiers([find('upn')])",
    replace: "principalNames: toIdentifiers([find('upn'), find('preferred_username')])",
    tests: ['test/matching-names.test.ts'],
  }),
  first({
    name: 'an attribute preferred_username is no assigned name',
    file: 'src/features/descriptors/person.ts',
    find: '[name ?? [], first(PRINCIPAL_NAMES)].flat()',
    replace: "[name ?? [], first(PRINCIPAL_NAMES), first('preferred_username')].flat()",
    tests: ['test/matching-names.test.ts'],
  }),
  first({
    name: 'beside a denied address no name is kept as assigned',
    file: 'src/features/federation/person.ts',
    find: 'isDenied ? [] : foldAll(principalNames)',
    replace: 'foldAll(principalNames)',
    tests: ['test/matching-names.test.ts'],
  }),
  first({
    name: 'assigned names of a release before count while they are names of the person',
    file: 'src/features/provisioning/store.ts',
    find: 'user_names @> array[${principal}::text] and principal_names',
    replace: 'principal_names',
    tests: ['test/matching-names.test.ts'],
  }),
  first({
    name: 'only the userName is compared with assigned names',
    file: 'src/features/provisioning/store.ts',
    find: 'user_names @> array[${principal}::text] and principal_names @> array[${principal}::text], false)',
    replace: 'principal_names && ${names}::text[], false)',
    tests: ['test/matching-names.test.ts'],
  }),
  first({
    name: 'an assigned name of one provisioned user and the address of another match neither',
    file: MATCH,
    find: 'one.is_provisioned || (!isCertain',
    replace: '(!isCertain',
    tests: MATCHING_TEST,
  }),
  first({
    name: 'names are compared in ASCII case',
    file: 'src/platform/identifier.ts',
    find: 'text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())',
    replace: 'text.toLowerCase()',
    tests: ['test/matching-names.test.ts'],
  }),
  first({
    name: 'the externalId of the linked connection proves no mailbox',
    file: COMPLETE,
    find: 'isProved ? await proveMailbox(work, user) : user',
    replace: 'await proveMailbox(work, user)',
  }),
  first({
    name: 'a second subject is not linked',
    file: COMPLETE,
    find: '    await assertOnlySubject(work, arrival, user.id)\n',
    replace: '',
  }),
  first({
    name: 'a sign-in waits for the client',
    file: COMPLETE,
    find: 'isProvisioning && (await isIntroduced(work, arrival, address))',
    replace: 'isProvisioning && !isIntroduced',
    tests: ['test/race/introduction.test.ts'],
  }),
  first({
    name: 'the client waits for a sign-in',
    file: PROVISION,
    find: '      await holdIntroduction(work, { externalIds, userNames: [userName, ...emails], emailNorm: address.norm })\n',
    replace: '',
    tests: ['test/race/introduction.test.ts'],
  }),
  first({
    name: 'a chosen name leads the client to no user',
    file: PROVISION,
    find: ' && isOwn(one.email_norm)',
    replace: '',
    tests: ['test/matching-names.test.ts'],
  }),
  first({
    name: 'where a connection is linked, the client goes by no other',
    file: 'src/features/provisioning/store.ts',
    find: "k.id = ${linkedConnection(directory)} and k.status = 'active'",
    replace: 'true',
    tests: ['test/matching-names.test.ts'],
  }),
  first({
    name: 'an externalId of several users restores none of them',
    file: PROVISION,
    find: 'one?.is_gone && others.length === 0 ? one : null',
    replace: 'one?.is_gone ? one : null',
    tests: ['src/features/provisioning/returning.test.ts'],
  }),
  first({
    name: 'a derived address is not stored as sent',
    file: 'src/features/provisioning/change.ts',
    find: "    if (!sendsEmails(held.said.resource)) delete current['emails']\n",
    replace: '',
    tests: ['src/features/provisioning/rename.test.ts'],
  }),
]
