import { texts } from '../../../platform/messages/texts.gen.ts'
import { buttonPage } from '../pages/pages.ts'
import { disownPurpose, disownSignIn } from './disown.ts'
import { deviceEvents } from './events.ts'

/** The page of the link in the mail about a new device. */
export const disownPage = buttonPage({
  type: disownPurpose.type,
  service: 'auth',
  worksWhileLocked: true,
  used: texts.devices.page.used,
  another: texts.pages.link.askOperator,
  texts: texts.devices.page,
  events: [deviceEvents.disowned],
  act: ({ work, token, who }) => disownSignIn(work, { email: who.address.email, token }),
})
