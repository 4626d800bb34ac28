import { OutboundFailure, outboundFetch } from '../../../platform/outbound/http.ts'
import type { Platform } from '../../../platform/platform.ts'
import { FederationFailure } from './errors.ts'

const TIMEOUT_MS = 5000
const MAX_BYTES = 512 * 1024

/** Fetches a provider's metadata. Throws FederationFailure. */
export async function fetchMetadata(platform: Platform, url: string): Promise<string> {
  const said = await outboundFetch(platform, url, { method: 'GET', timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES }).catch(
    (error: unknown) => {
      if (!(error instanceof OutboundFailure)) throw error
      throw new FederationFailure('idp_unreachable', `The metadata could not be fetched. ${error.detail}`)
    },
  )
  if (said.status !== 200)
    throw new FederationFailure('idp_unreachable', `The address of the metadata answers ${said.status}, not 200.`)
  return said.body.toString()
}
