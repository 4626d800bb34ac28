import { texts } from '../../../platform/messages/texts.gen.ts'
import { undoEmailChange } from '../me/me.ts'
import { addressField, hiddenFields, type LinkPage, linkHome } from './link.ts'

/** The page of the link in the mail to the address that a person gave up. */
export const undoPage: LinkPage = {
  service: 'auth',
  worksWhileLocked: true,
  used: texts.hosted.undo.used,
  another: texts.hosted.askOperator,
  show: async (live) => ({
    title: texts.hosted.undo.title(live.language),
    body: {
      paragraphs: [texts.hosted.undo.paragraph(live.language)],
      form: { fields: [...hiddenFields(live), addressField(live)], button: texts.hosted.undo.button(live.language) },
    },
  }),
  async act(live) {
    const { work, token, who, language } = live
    await undoEmailChange(work, { email: who.address.email, token })
    return {
      title: texts.hosted.undo.done(language),
      body: { paragraphs: [texts.hosted.undo.advice(language)], ...linkHome(live) },
    }
  },
}
