import { createHash } from 'node:crypto'
import Fastify from 'fastify'

/** The browser script of the API reference. */
export interface ReferenceScript {
  source: Buffer
  /** Changes with the content, so that the URL can be cached forever. */
  version: string
}

let loading: Promise<ReferenceScript> | null = null

/** Loaded on first use: it is megabytes, which a server whose documentation is never opened need not load. */
export function loadReferenceScript(): Promise<ReferenceScript> {
  loading ??= load().catch((error: unknown) => {
    loading = null
    throw error
  })
  return loading
}

async function load(): Promise<ReferenceScript> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  // The package exposes its script only through a plugin. The plugin's page is not used: it has inline scripts.
  const host = Fastify()
  host.register(scalar, { routePrefix: '/reference', configuration: { url: '/' } })
  try {
    const { statusCode, rawPayload } = await host.inject('/reference/js/scalar.js')
    if (statusCode !== 200) throw new Error(`The API reference has no script (${statusCode})`)
    const version = createHash('sha256').update(rawPayload).digest('hex').slice(0, 16)
    return { source: rawPayload, version }
  } finally {
    await host.close()
  }
}
