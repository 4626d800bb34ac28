/** One defence, and what the code looks like without it. */
export interface Mutant {
  /** What is taken out; unique. */
  name: string
  /** From the project's root. */
  file: string
  /** Occurs in the file exactly once. */
  find: string
  replace: string
  /** The test files that should notice. */
  tests: string[]
  /** Of these files only the tests whose names match. */
  only?: string
  /** Why no test can notice: another defence refuses the same. Then a run that fails is an error of this table. */
  equivalent?: string
}
