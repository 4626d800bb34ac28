export { signUpByCode } from './code.ts'
export { startFirstSession } from './first-session.ts'
export { judgeSignup, signupMethod } from './judge.ts'
