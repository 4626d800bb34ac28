import { escapeHtml, mailtoAddress } from '../mail/html.ts'
import { findPlaces, holdsAddress, MARK, type Place } from './html-places.ts'

const markup = Symbol('markup')
const address = Symbol('address')
const list = Symbol('attributes')

/** Markup in which every text is escaped. Only `html` makes it, and `trustOwnFile` of files of the repository. */
export interface Html {
  readonly [markup]: string
}

/** An address that a browser may follow, load or post to. */
export interface Url {
  readonly [address]: string
}

/** Attributes whose presence depends on a value. */
export interface Attributes {
  readonly [list]: string
}

type Text = string | number
type Part = Text | Html | Url | Attributes | readonly Html[] | null | false

const placesByTemplate = new WeakMap<TemplateStringsArray, Place[]>()

/**
 * Makes markup from a template. Texts are escaped, lists of markup are joined, and null and false show nothing. Pass an
 * address as `Url`, and optional attributes as `attributes`. Throws if escaping cannot make the template safe.
 */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  // A tag gets frozen strings: a call with an array of other texts is refused.
  if (!Array.isArray(strings.raw) || !Object.isFrozen(strings)) throw new Error('html is a tag of templates')
  const places = placesByTemplate.get(strings) ?? findPlaces(strings)
  placesByTemplate.set(strings, places)
  let text = strings[0] ?? ''
  parts.forEach((part, n) => {
    text += write(places[n] ?? 'text', part) + (strings[n + 1] ?? '')
  })
  return { [markup]: text }
}

function write(place: Place, part: Part): string {
  if (part === null || part === false) return ''
  if (typeof part === 'string' || typeof part === 'number') {
    if (place === 'text' || place === 'value') return escapeText(String(part))
  } else if (place === 'text') {
    if (isHtml(part)) return part[markup]
    if (Array.isArray(part)) return part.map((each: Html) => each[markup]).join('')
  } else if (place === 'url' && address in part) return part[address]
  else if (place === 'attributes' && list in part) return part[list]
  throw new Error(`A page cannot show this value as ${place}`)
}

/** NUL marks the root of the service, so a text must not contain it. Browsers show no NUL. */
function escapeText(text: string): string {
  return escapeHtml(text.replaceAll(MARK, '\ufffd'))
}

export function isHtml(value: unknown): value is Html {
  return typeof value === 'object' && value !== null && markup in value
}

/** Takes the markup of a file of the repository, such as a guide or an SVG image, as it is. Never for values of requests or records. */
export function trustOwnFile(text: string): Html {
  return { [markup]: text.replaceAll(MARK, '\ufffd') }
}

/** The markup as text. `rootPath` is the path of the base URL, below which proxies publish the service. */
export function writeHtml(page: Html, rootPath = ''): string {
  return page[markup].replaceAll(MARK, () => rootPath)
}

/** Attributes of an element: `true` has no value; false, null and undefined leave the attribute out. */
export function attributes(values: Record<string, Text | boolean | null | undefined>): Attributes {
  const parts = Object.entries(values).map(([name, value]) => {
    if (
      !/^[a-z][a-z-]*$/.test(name) ||
      holdsAddress(name) ||
      /^(on|style$|srcdoc$|sandbox$|http-equiv$|ping$|srcset$|imagesrcset$)/.test(name)
    )
      throw new Error(`${name} is no attribute that a value may decide on`)
    if (value === null || value === undefined || value === false) return ''
    return value === true ? ` ${name}` : ` ${name}="${escapeText(String(value))}"`
  })
  return { [list]: parts.join('') }
}

const ANYWHERE = 'https://anywhere.invalid'

/** An http(s) address, or a path relative to the page. Throws for another, which a browser might run. */
export function url(text: string): Url {
  const isAbsolute = /^https?:\/\//i.test(text)
  const parsed = isAbsolute ? URL.parse(text) : URL.parse(text, ANYWHERE)
  // Browsers ignore white space and control characters before a scheme, and read a backslash as a slash.
  const isElsewhere = /^[\s\p{Cc}]*([a-z][a-z\d+.-]*:|[\\/][\s\p{Cc}]*[\\/])/iu.test(text)
  if (!parsed || (!isAbsolute && (isElsewhere || parsed.origin !== ANYWHERE)))
    throw new Error('An address of a page must be http(s), or a path')
  return { [address]: escapeText(isAbsolute ? parsed.href : text) }
}

/** The address that writes a mail (RFC 6068). */
export function mailUrl(to: string): Url {
  return { [address]: escapeText(mailtoAddress(to)) }
}

/** A path of the service from any page of it, also where a proxy publishes it below a path. */
export function rootUrl(path: `/${string}`): Url {
  return { [address]: `${MARK}${escapeText(path)}` }
}
