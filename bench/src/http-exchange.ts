/** A whole HTTP/1.1 answer. */
export interface Answer {
  status: number
  head: string
  body: string
  /** The server wants no further request on this connection. */
  closes: boolean
}

const LENGTH = /\r\ncontent-length: *(\d+)/i
const CHUNKED = /\r\ntransfer-encoding: *chunked/i
const CLOSES = /\r\nconnection: *close/i

/**
 * Reads one answer from the latin1 text received so far; null while it is incomplete. Knows Content-Length and
 * chunked bodies, which is what servers under test send; a client library costs twice the time per request, and
 * the generator shares its cores with the server.
 */
export function readAnswer(received: string): Answer | null {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd < 0) return null
  const head = received.slice(0, headEnd)
  const body = readBody(head, received, headEnd + 4)
  if (body === null) return null
  return { status: Number(head.slice(9, 12)), head, body, closes: CLOSES.test(head) }
}

/** Where a redirect leads; empty otherwise. */
export function locationOf({ head }: Answer): string {
  return /\r\nlocation: ([^\r]*)/i.exec(head)?.[1] ?? ''
}

function readBody(head: string, received: string, start: number): string | null {
  const length = LENGTH.exec(head)?.[1]
  if (length !== undefined) {
    const end = start + Number(length)
    return received.length < end ? null : received.slice(start, end)
  }
  if (!CHUNKED.test(head)) return ''
  if (!received.endsWith('0\r\n\r\n')) return null
  return readChunks(received, start)
}

function readChunks(received: string, start: number): string | null {
  let body = ''
  let at = start
  while (at < received.length) {
    const lineEnd = received.indexOf('\r\n', at)
    const size = Number.parseInt(received.slice(at, lineEnd), 16)
    if (size === 0) return body
    body += received.slice(lineEnd + 2, lineEnd + 2 + size)
    at = lineEnd + 2 + size + 2
  }
  return null
}

/** A request as it goes over the wire. */
export function writeRequest(
  host: string,
  request: { method: string; path: string; body?: string },
  headers: Record<string, string>,
): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  if (request.body === undefined)
    return `${request.method} ${request.path} HTTP/1.1\r\nhost: ${host}\r\n${lines.join('')}\r\n`
  if (headers['content-type'] === undefined) lines.push('content-type: application/json\r\n')
  lines.push(`content-length: ${Buffer.byteLength(request.body)}\r\n`)
  return `${request.method} ${request.path} HTTP/1.1\r\nhost: ${host}\r\n${lines.join('')}\r\n${request.body}`
}
