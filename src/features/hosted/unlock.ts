import { unlockByLink } from '../lockout/lockout.ts'
import { addressField, hiddenFields, type LinkPage, linkHome } from './link.ts'

/** The page of the link in the mail about a lock. */
export const unlockPage: LinkPage = {
  service: 'auth',
  worksWhileLocked: true,
  used: 'If it was you, your account is unlocked: there is nothing left to do.',
  another: 'The lock expires after a while.',
  show: async (live) => ({
    title: 'Unlock your account',
    body: {
      paragraphs: ['A wrong password was entered too often. If it was you, unlock your account here.'],
      form: { fields: [...hiddenFields(live), addressField(live)], button: 'Unlock' },
    },
  }),
  async act(live) {
    const { work, token, who } = live
    await unlockByLink(work, { email: who.address.email, token })
    const paragraphs = ['You can sign in again.']
    return { title: 'Your account is unlocked', body: { paragraphs, ...linkHome(live) } }
  },
}
