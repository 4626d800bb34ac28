import type { Mutant } from './mutant.ts'

const tests = ['src/features/records/exports/exports.test.ts']

/** What is told of everything that is kept about somebody. */
export const exports: Mutant[] = [
  {
    name: 'an export is of one user',
    file: 'src/features/records/exports/store.ts',
    find: ' and user_id = ${userId}',
    replace: " and ${userId} <> ''",
    tests,
  },
  {
    name: 'an export tells the columns that it may, and no others',
    file: 'src/platform/lifecycle/belongings.ts',
    find: "columns: told.split(' ')",
    replace: "columns: `${told} ${_withheld}`.trim().split(' ')",
    tests,
  },
  {
    name: 'the events of an export are of one user',
    file: 'src/features/records/audit/read.ts',
    find: '{ ...EVERYTHING, userIds: ids }',
    replace: '{ ...EVERYTHING, userIds: ids.length > 9 ? ids : null }',
    tests,
  },
  {
    name: 'an export needs the scope of the audit log',
    file: 'src/features/records/exports/exports.ts',
    find: "  authorize(work.caller, 'audit.read')\n",
    replace: '',
    tests,
  },
  {
    name: 'what is cut from an export is named',
    file: 'src/features/records/exports/exports.ts',
    find: '    if (found.isCut) truncated.push(table)\n',
    replace: '',
    tests,
  },
]
