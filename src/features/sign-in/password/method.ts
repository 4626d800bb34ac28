import type { SignInMethod } from '../../access/login/login.ts'
import { passwordEvents } from './events.ts'
import { passwordSettings } from './settings.ts'
import { findPassword } from './store.ts'
import { writeNextPassword } from './write.ts'

export const passwordMethod: SignInMethod = {
  id: 'password',
  offer: {
    label: 'Password',
    service: 'password',
    isOn: async (work) => (await passwordSettings.effective(work)).email_password_enabled,
  },
  // A password that must be changed cannot be used for a step-up.
  async stepsUp({ db, directory }, userId) {
    const stored = await findPassword(db, directory, userId)
    return stored !== null && !stored.must_change
  },
  heldChange: { write: writeNextPassword, events: [passwordEvents.changed] },
}
