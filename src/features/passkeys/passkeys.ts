export { passkeyMethod } from './sign-in.ts'
