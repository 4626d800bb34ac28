/** What a run of tests says. */
export type Verdict =
  | { kind: 'passed' }
  /** `by`: the first test that failed. */
  | { kind: 'failed'; by: string }
  /** No test ran, or a file did not load: it says nothing of the defence. */
  | { kind: 'broken'; why: string }

interface Report {
  testResults: { name: string; message: string; assertionResults: { status: string; fullName: string }[] }[]
}

/** How a file fails after its tests, if it sent statements that break a rule of `sql-rules.ts`. */
const WATCH = /^statements that a distributed PostgreSQL does not take/

/** Reads the report of Vitest. A file that fails outside of its tests is no verdict, unless its statements broke a rule. */
export function readVerdict(text: string): Verdict {
  const { testResults }: Report = JSON.parse(text)
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
  const failed = tests.find(({ status }) => status === 'failed')
  if (failed) return { kind: 'failed', by: failed.fullName }
  if (testResults.some(({ message }) => WATCH.test(message))) return { kind: 'failed', by: 'the rules of statements' }
  const unloaded = testResults.find(({ message }) => message !== '')
  if (unloaded) return { kind: 'broken', why: `${unloaded.name}: ${unloaded.message}` }
  const passed = tests.filter(({ status }) => status === 'passed')
  return passed.length > 0 ? { kind: 'passed' } : { kind: 'broken', why: 'no test has such a name' }
}
