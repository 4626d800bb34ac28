import { texts } from '../../../platform/messages/texts.gen.ts'
import { unlockByLink } from '../../sign-in/lockout/lockout.ts'
import { addressField, hiddenFields, type LinkPage, linkHome } from './link.ts'

/** The page of the link in the mail about a lock. */
export const unlockPage: LinkPage = {
  service: 'auth',
  worksWhileLocked: true,
  used: texts.hosted.unlock.used,
  another: texts.hosted.unlock.another,
  show: async (live) => ({
    title: texts.hosted.unlock.title(live.language),
    body: {
      paragraphs: [texts.hosted.unlock.paragraph(live.language)],
      form: { fields: [...hiddenFields(live), addressField(live)], button: texts.hosted.unlock.button(live.language) },
    },
  }),
  async act(live) {
    const { work, token, who, language } = live
    await unlockByLink(work, { email: who.address.email, token })
    return {
      title: texts.hosted.unlock.done(language),
      body: { paragraphs: [texts.hosted.unlock.again(language)], ...linkHome(live) },
    }
  },
}
