import { defineThreadWork, type MessageOwner } from '../xml/message-pool.ts'
import { XmlRefusal } from '../xml/refusal.ts'
import type { SigningPair } from './metadata.ts'
import { type IdpMetadata, IdpMetadataError } from './metadata.ts'
import type * as metadataWorker from './metadata-worker.ts'

const inThread = defineThreadWork<typeof metadataWorker>(new URL('./metadata-worker.ts', import.meta.url))

/** Reads the metadata of a provider in a thread. Throws IdpMetadataError, and `unavailable` if too many wait. */
export async function readIdpMetadata(work: MessageOwner, xml: string): Promise<IdpMetadata> {
  try {
    const read = await inThread(work, { name: 'readIdpMetadata', bytes: xml.length }, xml)
    if ('metadata' in read) return read.metadata
    throw new IdpMetadataError(read.refused)
  } catch (error) {
    throw error instanceof XmlRefusal ? new IdpMetadataError(error.message) : error
  }
}

/** Signs a message, or the assertion in it, in a thread, so that the serving thread never loads the library. */
export function signMessage(
  work: MessageOwner,
  xml: string,
  key: SigningPair,
  part: metadataWorker.SignedPart = 'message',
): Promise<string> {
  return inThread(work, { name: 'signMessage', bytes: xml.length }, { xml, key, part })
}
