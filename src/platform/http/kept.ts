import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

/** A response that never changes. It is rendered and compressed once, then sent as bytes. */
export interface KeptAnswer {
  plain: Buffer
  gzipped: Buffer
  headers: Record<string, string>
}

const kept = new WeakSet<object>()
const compress = promisify(gzip)

// Caches may store it, but must check whether it is still current.
const REVALIDATE = 'no-cache'

/** Makes such a response from a text. Its tag is weak, because both encodings share it (RFC 9110 §8.8.1). */
export async function keepAnswer(
  content: string | Buffer,
  headers: Record<string, string> & { 'content-type': string },
): Promise<KeptAnswer> {
  const plain = Buffer.from(content)
  const etag = `W/"${hash('sha256', plain, 'base64url').slice(0, 22)}"`
  const all = { 'cache-control': REVALIDATE, ...headers, etag, vary: 'accept-encoding' }
  const answer = { plain, gzipped: await compress(plain), headers: all }
  kept.add(answer)
  return answer
}

/** Calls `make` at the first use and keeps the result. A failure is not kept. */
export function keepOnce<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null
  return () => {
    made ??= make().catch((error: unknown) => {
      made = null
      throw error
    })
    return made
  }
}

export function isKept(answer: unknown): answer is KeptAnswer {
  return typeof answer === 'object' && answer !== null && kept.has(answer)
}

interface Asked {
  'if-none-match'?: string | undefined
  'accept-encoding'?: string | string[] | undefined
}

/**
 * Chooses the form of a kept response for a request: 304 if the client has it already, and compressed if the client
 * accepts that.
 */
export function selectKept({ plain, gzipped, headers }: KeptAnswer, asked: Asked) {
  if (hasTag(asked['if-none-match'], headers['etag'] ?? ''))
    return { status: 304, headers: withoutContent(headers), body: undefined }
  if (!takesGzip(String(asked['accept-encoding'] ?? ''))) return { status: 200, headers, body: plain }
  return { status: 200, headers: { ...headers, 'content-encoding': 'gzip' }, body: gzipped }
}

/** A browser applies the headers of a 304 to its stored response, so they must include the page's security policy. */
function withoutContent({ 'content-type': _, ...headers }: Record<string, string>): Record<string, string> {
  return headers
}

/** RFC 9110 §13.1.2: compares weakly. */
function hasTag(condition: string | undefined, etag: string): boolean {
  if (condition === undefined) return false
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  return condition.trim() === '*' || condition.split(',').some((tag) => opaque(tag) === opaque(etag))
}

/** RFC 9110 §12.5.3: the more specific entry wins, and `q=0` refuses. */
function takesGzip(accepted: string): boolean {
  const weights = new Map(
    accepted
      .toLowerCase()
      .split(',')
      .map((coding) => {
        const [name = '', ...parameters] = coding.split(';').map((part) => part.trim())
        const q = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
        return [name, q === undefined ? 1 : Number(q)] as const
      }),
  )
  return (weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0) > 0
}
