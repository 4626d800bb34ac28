import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import Fastify from 'fastify'

/** The program of the API reference, for the browser. */
export interface ReferenceScript {
  gzipped: Buffer
  /** Changes with the content, so that the address can be cached for good. */
  version: string
}

let loading: Promise<ReferenceScript> | null = null

/** Read on first use: it has megabytes, which a server whose documentation nobody opens never loads. */
export function loadReferenceScript(): Promise<ReferenceScript> {
  loading ??= load().catch((error: unknown) => {
    loading = null
    throw error
  })
  return loading
}

async function load(): Promise<ReferenceScript> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  // The package hands its script out only through a plugin. Its page is not used: that one has inline scripts.
  const host = Fastify()
  host.register(scalar, { routePrefix: '/reference', configuration: { url: '/' } })
  try {
    const { statusCode, rawPayload } = await host.inject('/reference/js/scalar.js')
    if (statusCode !== 200) throw new Error(`The API reference has no script (${statusCode})`)
    const version = createHash('sha256').update(rawPayload).digest('hex').slice(0, 16)
    return { gzipped: await promisify(gzip)(rawPayload), version }
  } finally {
    await host.close()
  }
}
