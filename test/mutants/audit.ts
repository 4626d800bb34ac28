import type { Mutant } from './mutant.ts'

const VERIFY = 'src/features/records/audit/verify.ts'
const CHAIN = 'src/features/records/audit/chain.ts'
const CHAIN_TEST = 'src/features/records/audit/chain.test.ts'
const READ = 'src/features/records/audit/read-store.ts'
const READ_TEST = 'src/features/records/audit/read.test.ts'
const RETENTION_TEST = 'src/features/records/audit/retention.test.ts'

/** What makes a change of an old event show. */
export const audit: Mutant[] = [
  {
    name: 'a block follows from the one before',
    file: VERIFY,
    find: 'else if (!hashBlock(key, last.hash, block).equals(block.hash))',
    replace: 'else if (hashBlock(key, last.hash, block).length === 0)',
    tests: [CHAIN_TEST],
  },
  {
    name: 'an event that was put in behind the chain is found',
    file: VERIFY,
    find: 'for (const event of extra) await reportExtra(work, event)',
    replace: 'for (const event of extra) if (event.id === "") await reportExtra(work, event)',
    tests: [CHAIN_TEST],
  },
  {
    name: 'an event that was put in within the chain is found',
    file: VERIFY,
    find: 'for (const event of found) if (!named.has(event.id)) await reportExtra(work, event)',
    replace: 'if (named.size === 0) for (const event of found) await reportExtra(work, event)',
    tests: [CHAIN_TEST],
  },
  {
    name: 'a chain that is shorter than a kept head is found',
    file: VERIFY,
    find: 'if (kept.block > last) {',
    replace: 'if (kept.block > last) return\n  if (kept.block < 0) {',
    tests: [CHAIN_TEST],
  },
  {
    name: 'a chain that ends before its head is found',
    file: VERIFY,
    find: 'if (at.seq !== (head?.seq ?? 0) || (head && !head.hash.equals(at.hash))) {',
    replace: 'if (head && head.seq < 0) {',
    tests: [CHAIN_TEST],
  },
  {
    name: 'an anchor takes the key',
    file: VERIFY,
    find: 'if (!sealAnchor(key, directory.id, seq, hash).equals(head.anchor_seal)) {',
    replace: 'if (sealAnchor(key, directory.id, seq, hash).length === 0) {',
    tests: [RETENTION_TEST],
  },
  {
    name: 'one process at a time chains an environment',
    file: CHAIN,
    find: 'const after = await lockCursor(tx, environmentId, skipLocked(platform.database))',
    replace: 'const after = await lockCursor(tx, environmentId, skipLocked({ distributed: true }))',
    tests: [CHAIN_TEST],
    only: 'two processes',
  },
  {
    name: 'a process that dies while it chains has chained nothing',
    file: CHAIN,
    find: 'await appendBlocks(tx, blocks)',
    replace: 'await appendBlocks(platform.db as never, blocks)',
    tests: ['test/process/audit-kills.test.ts'],
  },
  {
    name: 'a block is of one day, so that what is old does not stay with what is young',
    file: CHAIN,
    find: 'if (group && dayOf(group[0]) === dayOf(place)) group.push(place)',
    replace: 'if (group) group.push(place)',
    tests: [RETENTION_TEST],
  },
  {
    name: 'the console is chained too',
    file: CHAIN,
    find: 'withConsole: true',
    replace: 'withConsole: false',
    tests: [CHAIN_TEST],
  },
  {
    name: 'the audit log of an organization is its own',
    file: READ,
    find: "${within(reach, 'e')} and ${above",
    replace: 'true and ${above',
    tests: [READ_TEST],
  },
  {
    name: 'a text that is looked for is no pattern',
    file: READ,
    find: "text.replaceAll(/[\\\\%_]/g, '\\\\$&')",
    replace: 'text',
    tests: [READ_TEST],
  },
  {
    name: 'an export makes nothing ahead for who does not read',
    file: 'src/platform/http/send.ts',
    find: 'highWaterMark: 64 * 1024',
    replace: 'highWaterMark: 1024 ** 3',
    tests: [READ_TEST],
  },
  {
    name: 'HEAD of an export reads no more than a page',
    file: 'src/platform/http/send.ts',
    find: "if (reply.request.method === 'HEAD')",
    replace: "if (reply.request.method === 'NONE')",
    tests: [READ_TEST],
  },
  {
    name: 'no organization keeps its audit log for less than the feed needs',
    file: 'src/features/records/audit/retention-store.ts',
    find: 'export const RETENTION_DAYS = { min: 35,',
    replace: 'export const RETENTION_DAYS = { min: 1,',
    tests: [RETENTION_TEST],
  },
  {
    name: 'a page without a match ends no list',
    file: 'src/features/records/audit/read-store.ts',
    find: 'next: scan?.scanned_count === scanLimit ? scan.last_scanned : null',
    replace: 'next: null',
    tests: ['src/features/records/audit/read.test.ts'],
  },
]
