/** Parameters as array literals, which the driver takes longer to write. */

// These have nothing to escape by their type, so nothing else may be passed.

/** For `uuid[]`; each must have passed `isId`. */
export function uuidArray(ids: (string | null)[]): string {
  return `{${ids.map((id) => id ?? 'NULL').join()}}`
}

/** For `bytea[]`. */
export function byteaArray(values: (Buffer | null)[]): string {
  return `{${values.map((value) => (value === null ? 'NULL' : `"\\\\x${value.toString('hex')}"`)).join()}}`
}

/** For an array of any type: of strings, numbers, booleans, bytes, lists of strings, and null. */
export function arrayLiteral(values: readonly unknown[]): string {
  return `{${values.map(element).join()}}`
}

function element(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return quote(value)
  if (Buffer.isBuffer(value)) return quote(`\\x${value.toString('hex')}`)
  if (Array.isArray(value)) return quote(arrayLiteral(value))
  throw new Error('A value that no array is written of')
}

function quote(text: string): string {
  return `"${/["\\]/.test(text) ? text.replaceAll(/["\\]/g, '\\$&') : text}"`
}
