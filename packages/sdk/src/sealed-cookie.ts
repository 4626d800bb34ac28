import { EncryptJWT, jwtDecrypt } from 'jose'
import { headerOf, type IncomingRequest } from './request.ts'

export interface SealedCookieOptions {
  /** The name of the cookie. Over https `__Host-` comes before it: then no other host of your domain can set it. */
  name: string
  /** At least 32 random characters, such as of `openssl rand -base64 32`. During a change the new one first, then the old. */
  secret: string | readonly string[]
  /** Whether browsers find your application by https. */
  secure: boolean
  /** The current time in milliseconds since 1970. */
  now?: (() => number) | undefined
}

/** What browsers accept of a cookie with its name, in bytes. */
const MOST_BYTES = 4096

/** A cookie that browsers keep and cannot read or change (JWE, A256GCM). It knows no other secret, name or purpose. */
export class SealedCookie<T> {
  readonly #name: string
  readonly #secure: boolean
  readonly #now: () => number
  readonly #keys: Promise<Uint8Array[]>

  constructor({ name, secret, secure, now = Date.now }: SealedCookieOptions) {
    const secrets = [secret].flat()
    if (secrets.length === 0 || secrets.some((one) => one.length < 32))
      throw new TypeError('`secret` must have at least 32 characters, such as of `openssl rand -base64 32`.')
    this.#name = secure ? `__Host-${name}` : name
    this.#secure = secure
    this.#now = now
    this.#keys = Promise.all(secrets.map((one) => keyOf(one, name)))
  }

  /** The value of a `Set-Cookie` header. Throws a RangeError if the content is too large for a cookie. */
  async write(content: T, seconds: number): Promise<string> {
    const [key] = await this.#keys
    if (!key) throw new TypeError('No secret')
    const until = Math.floor(this.#now() / 1000) + seconds
    const sealed = await new EncryptJWT({ c: content })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setExpirationTime(until)
      .encrypt(key)
    if (this.#name.length + sealed.length + 1 > MOST_BYTES)
      throw new RangeError(`The cookie ${this.#name} would have ${sealed.length} bytes: shorten what is in it.`)
    return this.#header(sealed, seconds)
  }

  /** What the cookie of the request says, or null if there is none, it is over, or this secret has not sealed it. */
  async read(request: Pick<IncomingRequest, 'headers'>): Promise<T | null> {
    const sealed = this.#find(request)
    if (sealed === null) return null
    const currentDate = new Date(this.#now())
    for (const key of await this.#keys) {
      try {
        const algorithms = { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] }
        const { payload } = await jwtDecrypt<{ c: T }>(sealed, key, { ...algorithms, currentDate })
        return payload.c
      } catch {
        // Sealed by another secret, changed, or over.
      }
    }
    return null
  }

  /** The value of a `Set-Cookie` header that removes the cookie. */
  clear(): string {
    return this.#header('', 0)
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

/** A key of its own for each name (HKDF, RFC 5869): a cookie cannot stand for one of another name. */
async function keyOf(secret: string, name: string): Promise<Uint8Array> {
  const text = new TextEncoder()
  const material = await crypto.subtle.importKey('raw', text.encode(secret), 'HKDF', false, ['deriveBits'])
  const info = text.encode(`watchword cookie ${name}`)
  const bits = await crypto.subtle.deriveBits(
    { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info },
    material,
    256,
  )
  return new Uint8Array(bits)
}
