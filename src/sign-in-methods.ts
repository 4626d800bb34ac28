import { inviteMethod } from './features/invites/invites.ts'
import { magicLinkMethod } from './features/links/links.ts'
import type { SignInMethod } from './features/login/login.ts'
import { otpMethod } from './features/otp/otp.ts'
import { passkeyMethod } from './features/passkeys/passkeys.ts'
import { passwordMethod } from './features/password/password.ts'
import { phoneCodeMethod } from './features/phone-codes/phone-codes.ts'
import { signupMethod } from './features/signup/signup.ts'
import { socialMethod } from './features/social/social.ts'
import { ssoMethod } from './features/sso/sso.ts'

/** Every way to sign in, in the order of a sign-in page. */
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
