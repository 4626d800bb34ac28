import { texts } from '../../../platform/messages/texts.gen.ts'
import { buttonPage } from '../pages/pages.ts'
import { undoEmailChange, undoEmailEvents, undoPurpose } from './undo.ts'

/** The page that the undo link opens. The link is mailed to the old address. */
export const undoPage = buttonPage({
  type: undoPurpose.type,
  service: 'auth',
  worksWhileLocked: true,
  used: texts.emailChange.undo.used,
  another: texts.pages.link.askOperator,
  texts: texts.emailChange.undo,
  events: undoEmailEvents,
  act: ({ work, token, who }) => undoEmailChange(work, { email: who.address.email, token }),
})
