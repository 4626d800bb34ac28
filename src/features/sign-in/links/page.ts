import { texts } from '../../../platform/messages/texts.gen.ts'
import { handOverPage } from '../pages/pages.ts'
import { magicLinkPurpose } from './magic-link/magic-link.ts'

export const magicLinkPage = handOverPage({
  type: magicLinkPurpose.type,
  used: texts.links.page.used,
  another: texts.pages.link.requestAtSignIn,
  texts: { title: texts.mail.signIn, paragraph: texts.links.page.paragraph, button: texts.mail.signIn },
  redeemedBy: '/v1/auth/login/magic-link/verify',
})
