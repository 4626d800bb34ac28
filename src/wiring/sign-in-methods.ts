import type { SignInMethod } from '../features/access/login/login.ts'
import { socialMethod } from '../features/federation/social/social.ts'
import { ssoMethod } from '../features/federation/sso/sso.ts'
import { inviteMethod } from '../features/sign-in/invites/invites.ts'
import { magicLinkMethod } from '../features/sign-in/links/magic-link/magic-link.ts'
import { otpMethod } from '../features/sign-in/otp/sign-in-codes/sign-in-codes.ts'
import { passkeyMethod } from '../features/sign-in/passkeys/sign-in/sign-in.ts'
import { passwordMethod } from '../features/sign-in/password/method.ts'
import { phoneCodeMethod } from '../features/sign-in/phone-codes/phone-codes.ts'
import { signupMethod } from '../features/sign-in/signup/signup.ts'

/** Every sign-in method, in the order of a sign-in page. */
export const methods: readonly SignInMethod[] = [
  passwordMethod,
  otpMethod,
  phoneCodeMethod,
  magicLinkMethod,
  passkeyMethod,
  socialMethod,
  ssoMethod,
  inviteMethod,
  signupMethod,
]
