import { disownSignIn } from '../devices/devices.ts'
import { addressField, hiddenFields, type LinkPage, linkHome } from './link.ts'

/** The page of the link in the mail about a new device. */
export const disownPage: LinkPage = {
  service: 'auth',
  worksWhileLocked: true,
  used: 'If it was you, every session has ended: there is nothing left to do.',
  another: 'Ask whoever runs the application.',
  show: async (live) => ({
    title: 'End every session',
    body: {
      paragraphs: [
        'Somebody signed in to your account from a new device. If it was not you, sign out everywhere here.',
      ],
      form: { fields: [...hiddenFields(live), addressField(live)], button: 'Sign out everywhere' },
    },
  }),
  async act(live) {
    const { work, token, who } = live
    await disownSignIn(work, { email: who.address.email, token })
    const paragraphs = ['If you use a password, choose a new one. Remove passkeys and second steps that are not yours.']
    return { title: 'Every session has ended', body: { paragraphs, ...linkHome(live) } }
  },
}
