/**
 * Decodes base64 as other systems write hashes: in the standard or URL-safe alphabet, or passlib's with `.` for `+`,
 * with or without padding. Returns null for other characters or a length out of bounds.
 */
export function readBase64(text: string, minBytes: number, maxBytes: number): Buffer | null {
  if (!/^[A-Za-z0-9+/_.-]*={0,2}$/.test(text)) return null
  const bytes = Buffer.from(text.replaceAll('.', '+'), 'base64')
  return bytes.length >= minBytes && bytes.length <= maxBytes ? bytes : null
}

/** Standard base64 without padding, as in PHC strings. */
export function writeBase64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}
