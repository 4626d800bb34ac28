import type { SignInMethod } from '../../access/login/login.ts'
import { hasActiveConnection, usableConnections } from '../connections/known/known.ts'

export { connectionToStart } from './connection-to-start.ts'
export { discoverConnection } from './discover.ts'
export { ssoGate, ssoOnlyRule, ssoRequired } from './gate.ts'
export { enforcementSettings } from './settings.ts'

/** Sign-in at the organization's identity provider. */
export const ssoMethod: SignInMethod = {
  id: 'sso',
  offer: {
    label: 'Single sign-on',
    service: 'sso',
    isOn: hasActiveConnection,
    connections: async (work) =>
      (await usableConnections(work)).map(({ id, name, protocol }) => ({ id, name, protocol })),
  },
}
