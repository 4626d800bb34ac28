export { socialErrors } from './errors.ts'
export { accessOf, assertAccess, enterSocial } from './in-environment.ts'
export { maySignUp } from './rules.ts'
export { socialMethod } from './sign-in.ts'
