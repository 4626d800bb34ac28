export { oidcPostLogoutRedirectUri, oidcRedirectUri } from './addresses.ts'
export { checkClock, failed, passed } from './checks.ts'
export { concludeSignIn, refuseSignIn } from './conclude.ts'
export { connectionErrors } from './errors.ts'
export { connectionEvents } from './events.ts'
export {
  callbackOf,
  findConnection,
  findConnectionAnywhere,
  hasActiveConnection,
  type KnownConnection,
  knownConnections,
  lacks,
  openClientSecret,
  readConnection,
  usableConnections,
} from './known.ts'
export { type SsoProtocol, ssoProtocols } from './protocols.ts'
export { forgetProvisioning } from './provisioning.ts'
export { Certificate, type ConnectionCheck } from './schema.ts'
export { changeSpKeys, provideSpKeys, type SpKey, type SpKeys, spKeys } from './sp-keys.ts'
export { spOf } from './view.ts'
