/**
 * One defense, and the code without it. Declarations and test files are named by the end of their path, as much of it as
 * makes the name unique: `assertLinkUsable`, or `otp/store/codeProof` where other files declare a `codeProof` too.
 */
export interface Mutant {
  /** The defense that is removed; unique. */
  name: string
  /** A function, or another value declared at the top of a file of `src`. */
  in: string
  /** Occurs in the declaration exactly once. */
  find: string
  replace: string
  /** The test files that should notice: `deliveries.test.ts`, or `oidc/attacks.test.ts`. */
  tests: string[]
  /** Of these files only the tests whose names contain this text. */
  only?: string
}
