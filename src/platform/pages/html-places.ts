/** Where an interpolation of a template stands. */
export type Place = 'text' | 'attributes' | 'value' | 'url'

/** Stands for an interpolation, and after the root of the service in an address. No page shows it: HTML has no such character. */
export const MARK = '\u0000'

const ADDRESSES = /^(href|src|action|formaction|poster|cite|data|background|xlink:href)$/
// Lists of addresses are refused too, because a `Url` is one address.
const REFUSED_ATTRIBUTES = /^(on.*|style|http-equiv|ping|srcset|imagesrcset)$/
const REFUSED_ELEMENTS = /^(style|object|embed|base|plaintext|xmp|animate|set)$/
/** Tokens that give a frame neither scripts nor the origin of the page. */
const SANDBOX = /^(allow-(popups|popups-to-escape-sandbox)( |$))*$/

const TEXT = /[^<]+/y
const CLOSED = /<\/[a-z][a-z\d-]*>|<!doctype html>/y
const OPENED = /<([a-z][a-z\d-]*)/y
const ATTRIBUTE = new RegExp(String.raw`\s+([a-z][a-z\d-]*(?::[a-z]+)?)(?:="([^"<>]*)")?|${MARK}|\s*\/?>`, 'y')

/** Whether an attribute holds an address, which browsers may run. */
export const holdsAddress = (name: string) => ADDRESSES.test(name)

/**
 * The places of the interpolations of a template. Throws for a template in which escaping would not suffice: an unquoted
 * attribute, an attribute in upper case or twice, part of an address, an inline script or style, a frame without a sandbox.
 */
export function findPlaces(strings: readonly string[]): Place[] {
  const template = strings.join(MARK)
  const places: Place[] = []
  for (let at = 0; at < template.length; ) {
    const text = match(TEXT, template, at)
    if (text) {
      places.push(...Array<Place>(countMarks(text[0])).fill('text'))
      at += text[0].length
      continue
    }
    const closed = match(CLOSED, template, at)
    at = closed ? at + closed[0].length : readElement(template, at, places)
  }
  return places
}

/** Reads a tag with its attributes. Returns where it ends. */
function readElement(template: string, start: number, places: Place[]): number {
  const opened = match(OPENED, template, start)
  const [, element = ''] = opened ?? []
  if (!opened || REFUSED_ELEMENTS.test(element)) throw refused(template, start)
  const attributes = new Map<string, string | undefined>()
  let hasComputed = false
  for (let at = start + opened[0].length; ; ) {
    const found = match(ATTRIBUTE, template, at)
    if (!found) throw refused(template, at)
    const [whole, name, value] = found
    at += whole.length
    if (name !== undefined) {
      // Browsers keep the first of two attributes with the same name.
      if (attributes.has(name)) throw refused(template, at)
      places.push(...(placesInAttribute(name, value) ?? refuse(template, at)))
      attributes.set(name, value)
    } else if (whole === MARK) {
      places.push('attributes')
      hasComputed = true
    } else {
      if (element === 'script' && !attributes.get('src')) throw refused(template, start)
      if (attributes.has('srcdoc') && (hasComputed || !isSandboxed(attributes.get('sandbox'))))
        throw refused(template, start)
      return at
    }
  }
}

/** The places within a value, or null if the attribute is refused. */
function placesInAttribute(name: string, value = ''): Place[] | null {
  if (REFUSED_ATTRIBUTES.test(name)) return null
  const count = countMarks(value)
  if (!holdsAddress(name)) return Array<Place>(count).fill('value')
  if (count === 0) return isOwnAddress(value) ? [] : null
  return value === MARK ? ['url'] : null
}

/** An address that a template writes itself: of http(s), a path, or an empty icon. */
function isOwnAddress(value: string): boolean {
  const { protocol = '' } = URL.parse(value, 'https://own.invalid') ?? {}
  return value === 'data:,' || protocol === 'https:' || protocol === 'http:'
}

/** A document in a frame may have any markup if the frame runs no script and is of another origin. */
function isSandboxed(sandbox: string | undefined): boolean {
  return sandbox !== undefined && SANDBOX.test(sandbox)
}

const countMarks = (text: string) => text.split(MARK).length - 1

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

function refuse(template: string, at: number): never {
  throw refused(template, at)
}

function refused(template: string, at: number): Error {
  const near = template.slice(Math.max(0, at - 40), at + 40).replaceAll(MARK, '…')
  return new Error(`A template of a page must have plain tags with quoted attributes: ${near}`)
}
