/** Writes array parameters as literals, which is faster than the driver. */

// These values need no escaping because of their type. Other types must not be passed.

/** A literal for `uuid[]`. Each id must have passed `isId`. */
export function uuidArray(ids: (string | null)[]): string {
  return `{${ids.map((id) => id ?? 'NULL').join()}}`
}

/** A literal for `bytea[]`. */
export function byteaArray(values: (Buffer | null)[]): string {
  return `{${values.map((value) => (value === null ? 'NULL' : `"\\\\x${value.toString('hex')}"`)).join()}}`
}

/** A literal for an array of strings, numbers, booleans, bytes, lists of strings, or null. */
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
