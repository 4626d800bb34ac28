import { request } from 'node:http'

export interface Sent {
  method?: string
  /** As it stands: that of an address is tidied up. */
  path?: string
  headers?: Record<string, string>
  body?: string
}

/** Sends a request as it is, also what `fetch` refuses to send, over a connection of its own. */
export async function send(url: string, { method = 'GET', path, headers = {}, body }: Sent = {}) {
  const options = { agent: false, method, headers, ...(path === undefined ? {} : { path }) }
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; type: string; text: string }>()
  const call = request(url, options, async (response) => {
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk)
    const type = response.headers['content-type'] ?? ''
    resolve({ status: response.statusCode ?? 0, type, text: Buffer.concat(chunks).toString() })
  })
  call.on('error', reject)
  call.end(body)
  return promise
}
