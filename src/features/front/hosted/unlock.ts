import { unlockByLink } from '../../sign-in/lockout/lockout.ts'
import { unlockSays } from './account-messages.ts'
import { addressField, hiddenFields, type LinkPage, linkHome } from './link.ts'

/** The page of the link in the mail about a lock. */
export const unlockPage: LinkPage = {
  service: 'auth',
  worksWhileLocked: true,
  used: unlockSays.used,
  another: unlockSays.another,
  show: async (live) => ({
    title: unlockSays.title(live.language),
    body: {
      paragraphs: [unlockSays.paragraph(live.language)],
      form: { fields: [...hiddenFields(live), addressField(live)], button: unlockSays.button(live.language) },
    },
  }),
  async act(live) {
    const { work, token, who, language } = live
    await unlockByLink(work, { email: who.address.email, token })
    return { title: unlockSays.done(language), body: { paragraphs: [unlockSays.again(language)], ...linkHome(live) } }
  },
}
