import { undoEmailChange } from '../me/me.ts'
import { undoSays } from './account-messages.ts'
import { addressField, hiddenFields, type LinkPage, linkHome } from './link.ts'
import { says } from './messages.ts'

/** The page of the link in the mail to the address that a person gave up. */
export const undoPage: LinkPage = {
  service: 'auth',
  worksWhileLocked: true,
  used: undoSays.used,
  another: says.askOperator,
  show: async (live) => ({
    title: undoSays.title(live.language),
    body: {
      paragraphs: [undoSays.paragraph(live.language)],
      form: { fields: [...hiddenFields(live), addressField(live)], button: undoSays.button(live.language) },
    },
  }),
  async act(live) {
    const { work, token, who, language } = live
    await undoEmailChange(work, { email: who.address.email, token })
    return { title: undoSays.done(language), body: { paragraphs: [undoSays.advice(language)], ...linkHome(live) } }
  },
}
