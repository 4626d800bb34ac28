import { discoveryPage } from '../features/front/discovery/page.ts'
import { unknownSignInPage } from '../features/sign-in/devices/page.ts'
import { undoPage } from '../features/sign-in/email-change/page.ts'
import { verificationPage } from '../features/sign-in/email-verification/page.ts'
import { invitePage } from '../features/sign-in/invites/page.ts'
import { magicLinkPage } from '../features/sign-in/links/page.ts'
import { unlockPage } from '../features/sign-in/lockout/page.ts'
import type { LinkPage } from '../features/sign-in/pages/pages.ts'
import { recoveryPage } from '../features/sign-in/password/page.ts'
import { signupPage } from '../features/sign-in/signup/page.ts'

/** The pages of mailed links. */
export const linkPages: readonly LinkPage[] = [
  magicLinkPage,
  signupPage,
  discoveryPage,
  invitePage,
  recoveryPage,
  verificationPage,
  unlockPage,
  undoPage,
  unknownSignInPage,
]
