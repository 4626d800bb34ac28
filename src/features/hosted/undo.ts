import { confirmEmailChange, undoEmailChange } from '../me/me.ts'
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

/** The page of the link in the mail to the address that a person wants to have. */
export const newAddressPage: LinkPage = {
  service: 'auth',
  // Who may come in is asked of the person, whose address it is not yet.
  worksWhileLocked: true,
  used: 'If it was you, the address is yours: there is nothing left to do.',
  another: 'Ask for the change again where you are signed in.',
  show: async (live) => ({
    title: 'Use this address',
    body: {
      paragraphs: [
        'Somebody asked to use this address for their account. If it was you, confirm it. If not, close this page.',
      ],
      form: { fields: [...hiddenFields(live), addressField(live)], button: 'Use this address' },
    },
  }),
  async act(live) {
    const { work, token, who } = live
    await confirmEmailChange(work, { email: who.address.email, token })
    const paragraphs = ['From now on you sign in with it. Your other sessions have ended.']
    return { title: 'The address is yours', body: { paragraphs, ...linkHome(live) } }
  },
}
