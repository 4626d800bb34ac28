import { texts } from '../../../platform/messages/texts.gen.ts'
import { handOverPage } from '../../sign-in/pages/pages.ts'
import { linkPurpose } from './by-link.ts'

export const discoveryPage = handOverPage({
  type: linkPurpose.type,
  used: texts.discovery.page.used,
  another: texts.pages.link.requestAtSignIn,
  texts: { title: texts.mail.signIn, paragraph: texts.discovery.page.paragraph, button: texts.pages.form.button },
  redeemedBy: '/v1/auth/discovery/magic-link/verify',
})
