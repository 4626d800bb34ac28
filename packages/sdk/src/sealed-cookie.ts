import { EncryptJWT, jwtDecrypt } from 'jose'
import { headerOf, type IncomingRequest } from './request.ts'

export interface SealedCookieOptions {
  /**
   * The name of the cookie. For https, `__Host-` is added in front, so that no other host of your domain can set it.
   */
  name: string
  /**
   * At least 32 random characters, for example from `openssl rand -base64 32`. To change the secret, pass the new one
   * first, then the old one.
   */
  secret: string | readonly string[]
  /** Whether browsers reach your application with https. */
  secure: boolean
  /** The current time in milliseconds since 1970. */
  now?: (() => number) | undefined
}

/** The longest cookie that browsers accept, including its name, in bytes. */
const MOST_BYTES = 4096

/**
 * A cookie that browsers store but cannot read or change (JWE, A256GCM; its content is compressed). A cookie with
 * another secret or another name is not accepted.
 */
export class SealedCookie<T> {
  readonly #name: string
  readonly #secure: boolean
  readonly #now: () => number
  readonly #secrets: readonly string[]
  readonly #purpose: string
  #keys: Promise<Uint8Array[]> | null = null

  constructor({ name, secret, secure, now = Date.now }: SealedCookieOptions) {
    const secrets = [secret].flat()
    if (secrets.length === 0 || secrets.some((one) => typeof one !== 'string' || one.length < 32))
      throw new TypeError('`secret` must have at least 32 characters, such as of `openssl rand -base64 32`.')
    if (!/^[\w.-]+$/.test(name)) throw new TypeError('The name of a cookie has letters, digits, `_`, `.` and `-` only.')
    this.#name = secure ? `__Host-${name}` : name
    this.#purpose = name
    this.#secrets = secrets
    this.#secure = secure
    this.#now = now
  }

  /** Returns the value of a `Set-Cookie` header. Throws a RangeError if the content is too large for a cookie. */
  async write(content: T, seconds: number): Promise<string> {
    const [key] = await this.#readKeys()
    if (!key) throw new TypeError('No secret')
    const until = Math.floor(this.#now() / 1000) + seconds
    const sealed = await new EncryptJWT({ c: await compress(JSON.stringify(content)) })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setExpirationTime(until)
      .encrypt(key)
    const size = this.#name.length + sealed.length + 1
    if (size > MOST_BYTES)
      throw new RangeError(`The cookie ${this.#name} would have ${size} bytes, and browsers keep ${MOST_BYTES}.`)
    return this.#header(sealed, seconds)
  }

  /**
   * The content of the request's cookie. Null if there is none, it has expired, or it was sealed with another secret.
   */
  async read(request: Pick<IncomingRequest, 'headers'>): Promise<T | null> {
    const sealed = this.#find(request)
    if (sealed === null) return null
    const currentDate = new Date(this.#now())
    const algorithms = { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] }
    for (const key of await this.#readKeys()) {
      // Null if the cookie was sealed with another secret, was changed, or has expired.
      const opened = await jwtDecrypt<{ c: string }>(sealed, key, { ...algorithms, currentDate }).catch(() => null)
      if (opened) return JSON.parse(await decompress(opened.payload.c))
    }
    return null
  }

  /** Returns the value of a `Set-Cookie` header that removes the cookie. */
  clear(): string {
    return this.#header('', 0)
  }

  /** Derived at the first use, because some platforms allow no work before a request. */
  #readKeys(): Promise<Uint8Array[]> {
    this.#keys ??= Promise.all(this.#secrets.map((one) => deriveKey(one, this.#purpose)))
    return this.#keys
  }

  #find(request: Pick<IncomingRequest, 'headers'>): string | null {
    const start = `${this.#name}=`
    const pairs = headerOf(request, 'cookie')?.split(/; */) ?? []
    return pairs.find((pair) => pair.startsWith(start))?.slice(start.length) || null
  }

  #header(value: string, seconds: number): string {
    const secure = this.#secure ? '; Secure' : ''
    return `${this.#name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`
  }
}

/** Each name has its own key (HKDF, RFC 5869), so a cookie cannot be used under another name. */
async function deriveKey(secret: string, name: string): Promise<Uint8Array> {
  const text = new TextEncoder()
  const material = await crypto.subtle.importKey('raw', text.encode(secret), 'HKDF', false, ['deriveBits'])
  const info = text.encode(`watchword cookie ${name}`)
  const parameters = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info }
  return new Uint8Array(await crypto.subtle.deriveBits(parameters, material, 256))
}

/**
 * DEFLATE (RFC 1951), encoded as base64. Tokens are already base64, which takes a third more than their bytes, so
 * compressing helps.
 */
async function compress(text: string): Promise<string> {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream('deflate-raw'))
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

async function decompress(base64: string): Promise<string> {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  return new TextDecoder().decode(await through(bytes, new DecompressionStream('deflate-raw')))
}

async function through(bytes: Uint8Array<ArrayBuffer>, stream: CompressionStream | DecompressionStream) {
  const changed = new Blob([bytes]).stream().pipeThrough(stream)
  return new Uint8Array(await new Response(changed).arrayBuffer())
}
