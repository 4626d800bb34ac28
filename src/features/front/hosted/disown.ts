import { disownSignIn } from '../../sign-in/devices/devices.ts'
import { disownSays } from './account-messages.ts'
import { addressField, hiddenFields, type LinkPage, linkHome } from './link.ts'
import { says } from './messages.ts'

/** The page of the link in the mail about a new device. */
export const disownPage: LinkPage = {
  service: 'auth',
  worksWhileLocked: true,
  used: disownSays.used,
  another: says.askOperator,
  show: async (live) => ({
    title: disownSays.title(live.language),
    body: {
      paragraphs: [disownSays.paragraph(live.language)],
      form: { fields: [...hiddenFields(live), addressField(live)], button: disownSays.button(live.language) },
    },
  }),
  async act(live) {
    const { work, token, who, language } = live
    await disownSignIn(work, { email: who.address.email, token })
    return { title: disownSays.done(language), body: { paragraphs: [disownSays.advice(language)], ...linkHome(live) } }
  },
}
