import { texts } from '../../../platform/messages/texts.gen.ts'
import { handOverPage } from '../pages/pages.ts'
import { signupPurpose } from './email-link.ts'

export const signupPage = handOverPage({
  type: signupPurpose.type,
  used: texts.signup.page.used,
  another: texts.pages.link.requestAtSignUp,
  texts: { title: texts.signup.page.title, paragraph: texts.signup.page.paragraph, button: texts.pages.form.button },
  redeemedBy: '/v1/auth/signup/authenticate-email/verify',
})
