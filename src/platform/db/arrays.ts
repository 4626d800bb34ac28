/**
 * Parameters of joined statements, as array literals. Of a list the driver searches every element for characters to
 * escape; what is written here has none by its type, so nothing else may be passed.
 */

/** For `uuid[]`; each must have passed `isId`. */
export function uuidArray(ids: (string | null)[]): string {
  return `{${ids.map((id) => id ?? 'NULL').join()}}`
}

/** For `int[]`. */
export function intArray(values: number[]): string {
  return `{${values.join()}}`
}

/** For `bytea[]`. */
export function byteaArray(values: (Buffer | null)[]): string {
  return `{${values.map((value) => (value === null ? 'NULL' : `"\\\\x${value.toString('hex')}"`)).join()}}`
}
