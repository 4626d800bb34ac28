import { invalidField } from './errors.ts'

const MAX_BYTES = 16 * 1024

/** Whether what a caller keeps with a record is small enough. */
export function fitsMetadata(metadata: object | null | undefined): boolean {
  return Buffer.byteLength(JSON.stringify(metadata ?? {})) <= MAX_BYTES
}

/** Throws `invalid_request` where it is not. */
export function assertMetadataFits(metadata: object | null | undefined): void {
  if (fitsMetadata(metadata)) return
  throw invalidField('metadata', 'too_large', `metadata must not be larger than ${MAX_BYTES} bytes`)
}
