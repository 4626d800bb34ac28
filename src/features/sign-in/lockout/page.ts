import { texts } from '../../../platform/messages/texts.gen.ts'
import { buttonPage } from '../pages/pages.ts'
import { unlockByLinkEvents } from './events.ts'
import { unlockByLink, unlockPurpose } from './unlock.ts'

/** The page that the link in the mail about a lock opens. */
export const unlockPage = buttonPage({
  type: unlockPurpose.type,
  service: 'auth',
  worksWhileLocked: true,
  used: texts.lockout.page.used,
  another: texts.lockout.page.another,
  texts: texts.lockout.page,
  events: unlockByLinkEvents,
  act: ({ work, token, who }) => unlockByLink(work, { email: who.address.email, token }),
})
