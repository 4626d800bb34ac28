import type { Mutant } from './mutant.ts'

const SEALING = 'src/platform/crypto/sealing.test.ts'

/** What is stored of secrets. */
export const secrets: Mutant[] = [
  ...['decide', 'explain'].map((validator) => ({
    name: `of a refused value nothing is held by the validator that ${validator}s`,
    file: 'src/platform/http/validate.ts',
    find: `${validator}.errors = null`,
    replace: '',
    tests: ['src/platform/http/validate.test.ts'],
  })),
  {
    name: 'no two lists of parts have the same keyed hash',
    file: 'src/platform/crypto/tokens.ts',
    find: '`${Buffer.byteLength(part)}:${part}`',
    replace: 'part',
    tests: [SEALING],
  },
  {
    name: 'a shared statement holds nothing of the request that it was first made for',
    file: 'src/platform/db/joined.ts',
    find: '        isLed',
    replace: '        lead',
    tests: ['src/platform/db/joined.test.ts'],
  },
  {
    name: 'no two places have the same associated data',
    file: 'src/platform/crypto/secret-box.ts',
    find: '`${Buffer.byteLength(part)}:${part}`',
    replace: 'part',
    tests: [SEALING],
  },
  ...[
    ['table', 'place.table, '],
    ['column', 'place.column, '],
    ['row', 'place.row, '],
    ['account', ", place.accountId ?? ''"],
  ].map(([part = '', find = '']) => ({
    name: `a sealed value opens in its ${part} alone`,
    file: 'src/platform/crypto/secret-box.ts',
    find,
    replace: '',
    tests: [SEALING],
  })),
  {
    name: 'a wrapped data key opens as itself alone',
    file: 'src/platform/crypto/keyring.ts',
    find: "associatedData({ table: 'data_keys', column: 'wrapped', row: id, accountId: null })",
    replace: "associatedData({ table: 'data_keys', column: 'wrapped', row: id && '', accountId: null })",
    tests: [SEALING],
  },
  {
    name: 'each purpose hashes with a key of its own',
    file: 'src/platform/crypto/keyring.ts',
    find: '`watchword/hash/${purpose.name}/v1`',
    replace: '`watchword/hash/v1`',
    tests: [SEALING],
  },
  {
    name: 'of an unexpected failure nothing is told',
    file: 'src/platform/http/problem.ts',
    find: "detail: 'Something went wrong on our side. The request id identifies the occurrence.',",
    replace: 'detail: String(error),',
    tests: ['src/platform/http/problem.test.ts'],
  },
  {
    name: 'a log line has no message of others',
    file: 'src/platform/observability/log.ts',
    find: 'name: error.name,',
    replace: 'name: error.message,',
    tests: ['src/platform/observability/log.test.ts', 'test/canary.test.ts'],
  },
  {
    name: 'production stores of no message why it is not sent',
    file: 'src/platform/outbox/decoy.ts',
    find: 'decoy && outbox.keeps(platform) ?',
    replace: 'decoy ?',
    tests: ['src/features/tenancy/mail/mail.test.ts'],
  },
  {
    name: 'nobody reads the code of a decoy',
    file: 'src/platform/outbox/waiting.ts',
    find: 'return message?.decoy ? null : message',
    replace: 'return message',
    tests: ['src/platform/mail/pages.test.ts'],
  },
]
