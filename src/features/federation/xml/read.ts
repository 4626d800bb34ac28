/** An attribute. Namespace declarations are not included. */
export interface XmlAttribute {
  namespace: string
  name: string
  value: string
}

/** An element of the parsed document, with its namespace resolved (Namespaces in XML 1.0). */
export interface XmlElement {
  namespace: string
  /** The name without prefix. */
  name: string
  attributes: XmlAttribute[]
  children: XmlElement[]
  /** The text directly in the element, with entities resolved. */
  text: string
}

/**
 * The text is not well-formed or uses more of XML than this parser accepts. The message says why and quotes nothing.
 */
export class XmlError extends Error {}

/** Limits on the document. */
export interface XmlBounds {
  maxElements: number
  /** Attributes of all elements together. */
  maxAttributes: number
  /** True: comments are skipped and do not become text. False: comments are refused, since messages have none. */
  allowComments: boolean
}

const MAX_DEPTH = 40
const MAX_ATTRIBUTES = 40
// Enough for a user in more than a thousand groups. The limits are low because canonicalizing and searching cost far
// more than parsing.
const MESSAGE: XmlBounds = { maxElements: 2000, maxAttributes: 8000, allowComments: false }

const NAME = '[A-Za-z_][A-Za-z0-9_.-]*'
const QUALIFIED = `${NAME}(?::${NAME})?`
const DECLARATION = /^<\?xml version=["']1\.0["'](?: encoding=["']utf-8["'])?(?: standalone=["'](?:yes|no)["'])? ?\?>/i
const OPENING = new RegExp(`<(${QUALIFIED})`, 'y')
const ATTRIBUTE = new RegExp(`[ \\t\\n]+(${QUALIFIED})[ \\t\\n]*=[ \\t\\n]*(?:"([^"<]*)"|'([^'<]*)')`, 'y')
const OPENED = /[ \t\n]*(\/?)>/y
const CLOSING = new RegExp(`</(${QUALIFIED})[ \\t\\n]*>`, 'y')
const NO_CHARACTER = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u
const REFERENCE = /&(?:(#x[0-9A-Fa-f]{1,6}|#[0-9]{1,7}|lt|gt|amp|quot|apos);)?/g
const PREDEFINED = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
])
const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace'
const XMLNS_NAMESPACE = 'http://www.w3.org/2000/xmlns/'
// A namespace that is a relative reference has no canonical form (Canonical XML 1.0 §1.3), and parsers treat it
// differently.
const ABSOLUTE = /^[A-Za-z][A-Za-z0-9+.-]*:[^\s]*$/

interface Scope {
  declared: Map<string, string>
  around: Scope | null
}

interface Open {
  element: XmlElement
  qualifiedName: string
  scope: Scope
}

const OUTSIDE: Scope = { declared: new Map([['xml', XML_NAMESPACE]]), around: null }

/**
 * Reads a small document in one pass. Accepts elements, attributes, text and the predefined entities. Refuses
 * document types, entities, processing instructions, CDATA and comments, because parsers and signatures treat them
 * differently. Refuses everything that is not well-formed. Throws XmlError.
 */
export function readXml(source: string, bounds = MESSAGE): XmlElement {
  // Line ends are normalized as parsers do it (XML 1.0 §2.11).
  const text = source.replace(/\r\n?/g, '\n').trimEnd()
  if (NO_CHARACTER.test(text)) throw new XmlError('a character that XML does not have')
  const open: Open[] = []
  let root: XmlElement | null = null
  let [elements, attributes] = [0, 0]
  let at = DECLARATION.exec(text)?.[0].length ?? 0
  while (at < text.length) {
    const next = text.indexOf('<', at)
    addText(open.at(-1), text.slice(at, next < 0 ? text.length : next))
    if (next < 0) break
    if (text.startsWith('</', next)) {
      at = readClosing(text, next, open)
    } else if (bounds.allowComments && text.startsWith('<!--', next)) {
      at = skipComment(text, next)
    } else {
      const opened = readOpening(text, next, open.at(-1))
      if (++elements > bounds.maxElements) throw new XmlError('too many elements')
      attributes += opened.written
      if (attributes > bounds.maxAttributes) throw new XmlError('too many attributes in all')
      if (open.length >= MAX_DEPTH) throw new XmlError('too deep')
      if (root && open.length === 0) throw new XmlError('a second document')
      root ??= opened.element
      open.at(-1)?.element.children.push(opened.element)
      if (!opened.isEmpty) open.push(opened)
      at = opened.end
    }
  }
  if (!root || open.length > 0) throw new XmlError('it does not end')
  return root
}

function addText(inner: Open | undefined, run: string): void {
  if (inner) inner.element.text += readText(run)
  else if (run.trim() !== '') throw new XmlError('text outside the document')
}

function readText(run: string): string {
  if (run.includes(']]>')) throw new XmlError('the end of a section that did not begin')
  if (!run.includes('&')) return run
  return run.replace(REFERENCE, (_, name?: string) => {
    if (name === undefined) throw new XmlError('an entity that is not predefined')
    if (!name.startsWith('#')) return PREDEFINED.get(name) ?? ''
    const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
    const character = code > 0x10ffff ? '' : String.fromCodePoint(code)
    if (character === '' || NO_CHARACTER.test(character)) throw new XmlError('a character that XML does not have')
    return character
  })
}

function readClosing(text: string, at: number, open: Open[]): number {
  CLOSING.lastIndex = at
  if (CLOSING.exec(text)?.[1] !== open.pop()?.qualifiedName) throw new XmlError('a tag that does not fit')
  return CLOSING.lastIndex
}

function skipComment(text: string, at: number): number {
  const end = text.indexOf('-->', at + 4)
  if (end < 0) throw new XmlError('a comment that does not end')
  return end + 3
}

interface Opening extends Open {
  isEmpty: boolean
  /** The number of attributes, including namespace declarations. */
  written: number
  end: number
}

function readOpening(text: string, at: number, inner: Open | undefined): Opening {
  OPENING.lastIndex = at
  const [, qualifiedName] = OPENING.exec(text) ?? []
  if (qualifiedName === undefined) throw new XmlError('markup other than elements')
  ATTRIBUTE.lastIndex = OPENING.lastIndex
  const written = new Map<string, string>()
  let end = OPENING.lastIndex
  for (;;) {
    const [, name, quoted, otherwise] = ATTRIBUTE.exec(text) ?? []
    if (name === undefined) break
    if (written.has(name)) throw new XmlError('an attribute twice')
    // XML 1.0 §3.3.3
    written.set(name, readText((quoted ?? otherwise ?? '').replace(/[\t\n]/g, ' ')))
    if (written.size > MAX_ATTRIBUTES) throw new XmlError('too many attributes')
    end = ATTRIBUTE.lastIndex
  }
  OPENED.lastIndex = end
  const [, slash] = OPENED.exec(text) ?? []
  if (slash === undefined) throw new XmlError('a tag that does not end')
  const scope = readScope(written, inner?.scope ?? OUTSIDE)
  const element = { ...resolve(qualifiedName, scope, true), attributes: readAttributes(written, scope) }
  return {
    element: { ...element, children: [], text: '' },
    qualifiedName,
    scope,
    isEmpty: slash !== '',
    written: written.size,
    end: OPENED.lastIndex,
  }
}

function readScope(written: Map<string, string>, around: Scope): Scope {
  const declared = new Map<string, string>()
  for (const [name, value] of written) {
    const prefix = name === 'xmlns' ? '' : name.startsWith('xmlns:') ? name.slice(6) : null
    if (prefix === null) continue
    const isNone = prefix === '' && value === ''
    if (prefix === 'xml' || prefix === 'xmlns' || value === XML_NAMESPACE || value === XMLNS_NAMESPACE)
      throw new XmlError('a reserved namespace')
    if (!isNone && !ABSOLUTE.test(value)) throw new XmlError('a relative namespace')
    declared.set(prefix, value)
  }
  return declared.size > 0 ? { declared, around } : around
}

function readAttributes(written: Map<string, string>, scope: Scope): XmlAttribute[] {
  const attributes: XmlAttribute[] = []
  const seen = new Set<string>()
  for (const [name, value] of written) {
    if (name === 'xmlns' || name.startsWith('xmlns:')) continue
    const attribute = { ...resolve(name, scope, false), value }
    const key = `${attribute.namespace} ${attribute.name}`
    if (seen.has(key)) throw new XmlError('an attribute twice')
    seen.add(key)
    attributes.push(attribute)
  }
  return attributes
}

function resolve(qualifiedName: string, scope: Scope, takesDefault: boolean): { namespace: string; name: string } {
  const [first = '', second] = qualifiedName.split(':')
  if (second === undefined && !takesDefault) return { namespace: '', name: first }
  const prefix = second === undefined ? '' : first
  for (let at: Scope | null = scope; at; at = at.around) {
    const namespace = at.declared.get(prefix)
    if (namespace !== undefined) return { namespace, name: second ?? first }
  }
  if (prefix !== '') throw new XmlError('an undeclared prefix')
  return { namespace: '', name: first }
}

/** The value of an attribute without a namespace; null if the attribute is absent. */
export function attributeOf(element: XmlElement, name: string): string | null {
  return element.attributes.find((one) => one.namespace === '' && one.name === name)?.value ?? null
}

/** The child elements with this name. */
export function childrenOf(element: XmlElement, namespace: string, name: string): XmlElement[] {
  return element.children.filter((child) => child.namespace === namespace && child.name === name)
}

/** The child element with this name; null if there is none, or more than one. */
export function onlyChild(element: XmlElement, namespace: string, name: string): XmlElement | null {
  const [child, ...more] = childrenOf(element, namespace, name)
  return child && more.length === 0 ? child : null
}

/** Whether two elements have the same name, attributes in any order, text and children. */
export function isSameElement(one: XmlElement, other: XmlElement): boolean {
  const hasAttribute = ({ namespace, name, value }: XmlAttribute) =>
    other.attributes.some((each) => each.namespace === namespace && each.name === name && each.value === value)
  return (
    one.namespace === other.namespace &&
    one.name === other.name &&
    one.text === other.text &&
    one.attributes.length === other.attributes.length &&
    one.attributes.every(hasAttribute) &&
    one.children.length === other.children.length &&
    one.children.every((child, index) => {
      const match = other.children[index]
      return match !== undefined && isSameElement(child, match)
    })
  )
}

/** The element and all its descendants, in no particular order. */
export function elementsOf(root: XmlElement): XmlElement[] {
  const all = [root]
  for (let at = 0; at < all.length; at++) all.push(...(all[at]?.children ?? []))
  return all
}

/** Removes white space as XML defines it. Other characters that look like spaces may be part of a name. */
export function trimXml(text: string): string {
  let [from, to] = [0, text.length]
  while (from < to && isSpace(text.charCodeAt(from))) from++
  while (to > from && isSpace(text.charCodeAt(to - 1))) to--
  return text.slice(from, to)
}

/**
 * Removes white space with a line break from both ends, since some providers wrap lines there. Other white space
 * around an identifier stays: without it, the identifier could belong to another person.
 */
export function trimLayout(text: string): string {
  const inner = trimXml(text)
  const from = text.indexOf(inner)
  const [before, after] = [text.slice(0, from), text.slice(from + inner.length)]
  return (hasBreak(before) ? '' : before) + inner + (hasBreak(after) ? '' : after)
}

const hasBreak = (space: string) => /[\r\n]/.test(space)

// XML 1.0 §2.3
const isSpace = (code: number) => code === 0x20 || code === 0x9 || code === 0xa || code === 0xd

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }

/** Escapes text for an element or an attribute. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '')
}
