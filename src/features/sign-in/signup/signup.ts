export { signUpByCode } from './code.ts'
export { startFirstSession } from './first-session.ts'
export { assertSignupAllowed, signupMethod } from './policy.ts'
