import { texts } from '../../../platform/messages/texts.gen.ts'
import { buttonPage } from '../pages/pages.ts'
import { deviceEvents } from './events.ts'
import { reportUnknownSignIn, unknownSignInPurpose } from './unknown-sign-in.ts'

/** The page that the link in the mail about a new device opens. */
export const unknownSignInPage = buttonPage({
  type: unknownSignInPurpose.type,
  service: 'auth',
  worksWhileLocked: true,
  used: texts.devices.page.used,
  another: texts.pages.link.askOperator,
  texts: texts.devices.page,
  events: [deviceEvents.disowned],
  act: ({ work, token, who }) => reportUnknownSignIn(work, { email: who.address.email, token }),
})
