import type { SignInMethod } from '../../access/login/login.ts'
import { passwordEvents } from './events.ts'
import { passwordSettings } from './settings.ts'
import { writeNextPassword } from './write.ts'

export const passwordMethod: SignInMethod = {
  id: 'password',
  offer: {
    label: 'Password',
    service: 'password',
    isOn: async (work) => (await passwordSettings.effective(work)).email_password_enabled,
  },
  heldChange: { write: writeNextPassword, events: [passwordEvents.changed] },
}
