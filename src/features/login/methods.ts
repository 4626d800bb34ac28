import { type Static, Type } from 'typebox'
import type { Directory } from '../../platform/http/directory.ts'
import type { Platform } from '../../platform/platform.ts'
import { otpSettings } from '../otp/otp.ts'
import { isServiceEnabled } from '../services/services.ts'

/** One way to sign in, as a sign-in page offers it. */
export const LoginMethod = Type.Object({
  id: Type.String(),
  label: Type.String(),
  providers: Type.Union([Type.Array(Type.String()), Type.Null()]),
})

/** The ways to sign in that work in this directory right now. None while Auth is off. */
export async function listLoginMethods(
  platform: Platform,
  directory: Directory,
): Promise<Static<typeof LoginMethod>[]> {
  const enabled = await isServiceEnabled(platform, directory, 'otp')
  const { channel_email } = await otpSettings(platform, directory)
  return enabled && channel_email ? [{ id: 'otp', label: 'Email code', providers: null }] : []
}
