import { Type } from 'typebox'
import type { SealedPlace } from '../../../platform/crypto/secret-box.ts'
import { isDatabaseUnavailable } from '../../../platform/db/failure.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import { fits } from '../../../platform/validator.ts'
import type { GrantedCode } from '../../sign-in/otp/sign-in-codes/sign-in-codes.ts'
import type { DiscoveryMethod } from './methods.ts'

/** What a token carries: who has proved a mailbox, and the code that each of their organizations takes once. */
export interface Discovered extends GrantedCode {
  email: string
  method: DiscoveryMethod
}

const Sealed = Type.Object({
  email: Type.String(),
  otpId: Type.String(),
  code: Type.String(),
  // Absent in a token of the release before, which knew codes alone.
  method: Type.Optional(Type.Enum(['otp', 'magic_link'])),
})
const PREFIX = 'dsc_'

// Of the environment: in another one it says nothing.
const placeOf = ({ environmentId, accountId }: Directory): SealedPlace => ({
  table: 'otps',
  column: 'discovered',
  row: environmentId,
  accountId,
})

/** The token of it, which nobody else can read or make. */
export async function sealToken({ keyring }: Platform, directory: Directory, said: Discovered): Promise<string> {
  return PREFIX + (await keyring.seal(placeOf(directory), JSON.stringify(said)))
}

/** What a token of this environment carries; null for any other text. */
export async function openToken(
  { keyring }: Platform,
  directory: Directory,
  token: string,
): Promise<Discovered | null> {
  if (!/^dsc_v1\.[0-9a-f-]{36}\.[\w-]+$/.test(token)) return null
  const text = await keyring.open(placeOf(directory), token.slice(PREFIX.length)).catch((error: unknown) => {
    if (isDatabaseUnavailable(error)) throw error
    return null
  })
  if (text === null) return null
  const said: unknown = JSON.parse(text)
  return fits(Sealed, said) ? { method: 'otp', ...said } : null
}
