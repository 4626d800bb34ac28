import { Type } from 'typebox'
import type { SealedPlace } from '../../../platform/crypto/secret-box.ts'
import { isDatabaseUnavailable } from '../../../platform/db/failure.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import { fits } from '../../../platform/validator.ts'
import { DiscoveredPerson } from '../../federation/federation/discovered/discovered.ts'
import type { GrantedCode } from '../../sign-in/otp/sign-in-codes/sign-in-codes.ts'
import type { Assertion } from '../../sign-in/passkeys/sign-in/sign-in.ts'
import type { DiscoveryMethod } from './methods.ts'

/** The content of a token for a proved mailbox, with a code that each of the organizations accepts once. */
export interface DiscoveredMailbox extends GrantedCode {
  email: string
  method: DiscoveryMethod
}

/**
 * The content of a token for a passkey that is registered in several organizations: its rows there, and what the
 * signature proved.
 */
export interface DiscoveredPasskey extends GrantedCode, Omit<Assertion, 'deviceType'> {
  deviceType?: Assertion['deviceType']
  method: 'passkey'
  passkeyIds: string[]
}

/** The content of a token for a person at a social provider. */
export interface DiscoveredSocial extends GrantedCode, DiscoveredPerson {
  method: 'social'
}

export type Discovered = DiscoveredMailbox | DiscoveredPasskey | DiscoveredSocial

const granted = { otpId: Type.String(), code: Type.String() }
const SealedMailbox = Type.Object({
  ...granted,
  email: Type.String(),
  // Absent in tokens of the previous release, which only supported codes.
  method: Type.Optional(Type.Enum(['otp', 'magic_link'])),
})
const SealedPasskey = Type.Object({
  ...granted,
  method: Type.Literal('passkey'),
  passkeyIds: Type.Array(Type.String()),
  counter: Type.Integer(),
  // Absent in tokens of the previous release.
  deviceType: Type.Optional(Type.Enum(['singleDevice', 'multiDevice'])),
  backedUp: Type.Boolean(),
  userVerified: Type.Boolean(),
})
const SealedSocial = Type.Object({ ...granted, method: Type.Literal('social'), ...DiscoveredPerson.properties })
const PREFIX = 'dsc_'

// The token belongs to the environment and cannot be read in another one.
const sealedPlaceOf = ({ environmentId, accountId }: Directory): SealedPlace => ({
  table: 'otps',
  column: 'discovered',
  row: environmentId,
  accountId,
})

/** Seals the content into a token that only this deployment can read or create. */
export async function sealToken({ keyring }: Platform, directory: Directory, said: Discovered): Promise<string> {
  return PREFIX + (await keyring.seal(sealedPlaceOf(directory), JSON.stringify(said)))
}

/** The content of a token of this environment; null for any other text. */
export async function openToken(
  { keyring }: Platform,
  directory: Directory,
  token: string,
): Promise<Discovered | null> {
  if (!/^dsc_v1\.[0-9a-f-]{36}\.[\w-]+$/.test(token)) return null
  const text = await keyring.open(sealedPlaceOf(directory), token.slice(PREFIX.length)).catch((error: unknown) => {
    if (isDatabaseUnavailable(error)) throw error
    return null
  })
  if (text === null) return null
  const said: unknown = JSON.parse(text)
  if (fits(SealedPasskey, said) || fits(SealedSocial, said)) return said
  return fits(SealedMailbox, said) ? { method: 'otp', ...said } : null
}
