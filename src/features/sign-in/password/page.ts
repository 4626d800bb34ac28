import { texts } from '../../../platform/messages/texts.gen.ts'
import type { LinkPage } from '../pages/pages.ts'
import { choosePassword } from './choose-page.ts'
import { resetOnPageEvents } from './events.ts'
import { resetPurpose } from './link-purposes.ts'
import { resetOnPage, resetSettings } from './reset.ts'

/** The page of a reset link, on which the user chooses a new password. */
export const recoveryPage: LinkPage = {
  type: resetPurpose.type,
  service: 'password',
  used: texts.password.recovery.used,
  another: texts.pages.link.requestAtSignIn,
  events: resetOnPageEvents,
  ...choosePassword({
    texts: texts.password.recovery,
    check: ({ work }) => resetSettings(work),
    set: resetOnPage,
  }),
}
