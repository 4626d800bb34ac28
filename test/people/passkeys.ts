import type { Caller, Reply } from '../harness.ts'
import { type Algorithm, type Answering, newPasskey, type SoftwarePasskey } from './authenticator.ts'
import { newEmail } from './people.ts'

/** The page that development takes passkeys from. */
export const PAGE = 'http://localhost:3000'

/** The page of a relying party: where the service is deployed, its own host. */
export const pageOf = (rpId: string) => (rpId === 'localhost' ? PAGE : `https://${rpId}`)

export interface PasskeyHolder {
  subOrgId: string
  userId: string
  email: string
  passkey: SoftwarePasskey
  /** Our id of the passkey. */
  credentialId: string
}

export async function registrationOptions(caller: Caller, subOrgId: string, userId: string) {
  const reply = await caller.post('/v1/auth/passkey/register', { subOrgId, userId, action: 'options' })
  if (reply.status !== 200) throw new Error(`No options: ${reply.text}`)
  return reply.body
}

/** Registers a software passkey for a user; what the API answers to its answer. */
export async function register(
  caller: Caller,
  who: { subOrgId: string; userId: string },
  passkey: SoftwarePasskey,
  how: Partial<Answering> & { deviceName?: string } = {},
): Promise<Reply> {
  const { deviceName, ...answering } = how
  const { options, challengeId } = await registrationOptions(caller, who.subOrgId, who.userId)
  const credential = passkey.make(options, { origin: pageOf(options.rp.id), ...answering })
  const body = { subOrgId: who.subOrgId, userId: who.userId, action: 'verify', challengeId, credential }
  return caller.post('/v1/auth/passkey/register', { ...body, ...(deviceName === undefined ? {} : { deviceName }) })
}

/** A fresh user with a passkey. */
export async function newHolder(
  caller: Caller,
  subOrgId: string,
  options: Partial<Answering> & { algorithm?: Algorithm } = {},
): Promise<PasskeyHolder> {
  const { algorithm = 'ES256', ...how } = options
  const email = newEmail()
  const made = await caller.post('/v1/users', { subOrgId, email })
  if (made.status !== 200) throw new Error(`No user: ${made.text}`)
  const userId: string = made.body.user.id
  const passkey = newPasskey({ algorithm })
  const reply = await register(caller, { subOrgId, userId }, passkey, how)
  if (reply.status !== 200) throw new Error(`No passkey: ${reply.text}`)
  return { subOrgId, userId, email, passkey, credentialId: reply.body.credential.id }
}

export async function signInOptions(caller: Caller, subOrgId: string, email: string) {
  const conditional = email === '' ? { conditional: true } : {}
  const reply = await caller.post('/v1/auth/login/passkey/options', { subOrgId, email, ...conditional })
  if (reply.status !== 200) throw new Error(`No options: ${reply.text}`)
  return reply.body
}

/** Signs the holder in; what the API answers. */
export async function signInBy(
  caller: Caller,
  holder: PasskeyHolder,
  how: Partial<Answering> & { email?: string } = {},
): Promise<Reply> {
  const { email = holder.email, ...answering } = how
  const { options, challengeId } = await signInOptions(caller, holder.subOrgId, email)
  const credential = holder.passkey.use(options, { origin: pageOf(options.rpId), ...answering })
  return caller.post('/v1/auth/login/passkey/verify', { subOrgId: holder.subOrgId, email, challengeId, credential })
}
