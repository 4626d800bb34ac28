export { signUpByCode } from './code.ts'
export { judgeSignup, signupMethod } from './judge.ts'
