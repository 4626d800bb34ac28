import { type Static, Type } from 'typebox'
import { named, nullable } from '../../platform/schema.ts'
import type { Work } from '../../platform/work.ts'
import { otpSettings } from '../otp/otp.ts'
import { isServiceEnabled } from '../services/services.ts'
import { authSettings } from './settings.ts'

/** One way to sign in, as a sign-in page offers it. */
export const LoginMethod = named(
  'LoginMethod',
  Type.Object(
    { id: Type.String(), label: Type.String(), providers: nullable(Type.Array(Type.String())) },
    { examples: [{ id: 'otp', label: 'Email code', providers: null }] },
  ),
)

const METHODS = [
  { id: 'password', label: 'Password', service: 'password' },
  { id: 'otp', label: 'Email code', service: 'otp' },
  { id: 'magic_link', label: 'Magic link', service: 'magic_link' },
  { id: 'passkey', label: 'Passkey', service: 'passkeys' },
] as const

/** The sign-in methods available in this directory, in the order of a sign-in page. Empty while Auth is off. */
export async function listLoginMethods(work: Work): Promise<Static<typeof LoginMethod>[]> {
  const { email_password_enabled: password } = await authSettings.effective(work)
  const { channel_email: otp } = await otpSettings(work)
  const isOn = { password, otp, magic_link: true, passkey: true }
  const methods = []
  for (const { id, label, service } of METHODS)
    if (isOn[id] && (await isServiceEnabled(work, service))) methods.push({ id, label, providers: null })
  return methods
}
