import { undoEmailChange } from '../me/me.ts'
import { addressField, hiddenFields, type LinkPage, linkHome } from './link.ts'

/** The page of the link in the mail to the address that a person gave up. */
export const undoPage: LinkPage = {
  service: 'auth',
  worksWhileLocked: true,
  used: 'If it was you, the address is yours again: there is nothing left to do.',
  another: 'Ask whoever runs the application.',
  show: async (live) => ({
    title: 'Bring your address back',
    body: {
      paragraphs: ['The address of your account was changed. If it was not you, bring it back here.'],
      form: { fields: [...hiddenFields(live), addressField(live)], button: 'Bring it back' },
    },
  }),
  async act(live) {
    const { work, token, who } = live
    await undoEmailChange(work, { email: who.address.email, token })
    const paragraphs = ['Every session has ended. Choose a new password, and remove passkeys that are not yours.']
    return { title: 'Your address is back', body: { paragraphs, ...linkHome(live) } }
  },
}
