import { texts } from '../../../platform/messages/texts.gen.ts'
import { disownSignIn } from '../../sign-in/devices/devices.ts'
import { addressField, hiddenFields, type LinkPage, linkHome } from './link.ts'

/** The page of the link in the mail about a new device. */
export const disownPage: LinkPage = {
  service: 'auth',
  worksWhileLocked: true,
  used: texts.hosted.disown.used,
  another: texts.hosted.askOperator,
  show: async (live) => ({
    title: texts.hosted.disown.title(live.language),
    body: {
      paragraphs: [texts.hosted.disown.paragraph(live.language)],
      form: { fields: [...hiddenFields(live), addressField(live)], button: texts.hosted.disown.button(live.language) },
    },
  }),
  async act(live) {
    const { work, token, who, language } = live
    await disownSignIn(work, { email: who.address.email, token })
    return {
      title: texts.hosted.disown.done(language),
      body: { paragraphs: [texts.hosted.disown.advice(language)], ...linkHome(live) },
    }
  },
}
