import { invalidField } from './errors.ts'

const MAX_BYTES = 16 * 1024

/** Whether the metadata that a caller stores with a record is small enough. */
export function fitsMetadata(metadata: object | null | undefined): boolean {
  return Buffer.byteLength(JSON.stringify(metadata ?? {})) <= MAX_BYTES
}

/** Throws `invalid_request` if it is too large. */
export function assertMetadataFits(metadata: object | null | undefined): void {
  if (fitsMetadata(metadata)) return
  throw invalidField('metadata', 'too_large', `metadata must not be larger than ${MAX_BYTES} bytes`)
}
