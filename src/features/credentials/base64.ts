/**
 * Bytes of base64 as hashes elsewhere are written: standard or URL-safe alphabet, or passlib's with `.` for `+`; padded
 * or not. Null: other characters, or a length out of bounds.
 */
export function readBase64(text: string, minBytes: number, maxBytes: number): Buffer | null {
  if (!/^[A-Za-z0-9+/_.-]*={0,2}$/.test(text)) return null
  const bytes = Buffer.from(text.replaceAll('.', '+'), 'base64')
  return bytes.length >= minBytes && bytes.length <= maxBytes ? bytes : null
}

/** Standard base64 without padding, as PHC strings have it. */
export function writeBase64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}
