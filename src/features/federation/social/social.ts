export { socialMethod } from './sign-in.ts'
