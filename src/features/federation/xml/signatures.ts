import {
  ENVELOPED,
  xmlNamespaces as ns,
  RSA_PSS_SHA256,
  RSA_SHA1,
  RSA_SHA256,
  RSA_SHA512,
  SHA1,
  SHA256,
  SHA512,
} from './names.ts'
import { attributeOf, onlyChild, type XmlElement } from './read.ts'
import { XmlRefusal } from './refusal.ts'

/** The algorithms that may sign a document. */
export interface SignatureRules {
  allowSha1: boolean
}

const SIGNATURE_METHODS = [RSA_SHA256, RSA_SHA512, RSA_PSS_SHA256]
const DIGEST_METHODS = [SHA256, SHA512]
const ID = /^[A-Za-z_][A-Za-z0-9_.-]{0,255}$/
const BASE64_TEXT = /^[A-Za-z0-9+/=\s]+$/

// Limited because canonicalization compares each prefix with every attribute.
const MAX_PREFIX_LIST = 500

// Libraries look for these elements by their local name, in some cases anywhere in the document.
const OF_SIGNATURES = new Set([
  'Signature',
  'SignedInfo',
  'SignatureValue',
  'SignatureMethod',
  'CanonicalizationMethod',
  'Reference',
  'Transforms',
  'Transform',
  'DigestValue',
  'Object',
  'Manifest',
])

/** The signature directly in the element; null if there is none. */
export function signatureOf(element: XmlElement): XmlElement | null {
  return onlyChild(element, ns.signature, 'Signature')
}

/**
 * Refuses every signature that could cover something other than its parent. Only the elements in `parents` may be
 * signed. Each has at most one signature, with one reference, to this element, and by known algorithms. Parts of a
 * signature may not be anywhere else, and no ID may occur twice. Throws XmlRefusal.
 */
export function checkSignatures(all: XmlElement[], parents: XmlElement[], rules: SignatureRules): void {
  const ids = all.flatMap(({ attributes }) => attributes.filter(({ name }) => name.toLowerCase() === 'id'))
  if (new Set(ids.map(({ value }) => value)).size < ids.length)
    throw new XmlRefusal('duplicate_id', 'Two elements of the document have the same ID.')
  const known = new Set<XmlElement>()
  for (const parent of parents) {
    const signatures = parent.children.filter(({ name }) => name === 'Signature')
    if (signatures.length > 1) throw misshapen('an element has several signatures')
    for (const signature of signatures) for (const part of checkSignature(signature, parent, rules)) known.add(part)
  }
  if (all.some((one) => OF_SIGNATURES.has(one.name) && !known.has(one)))
    throw misshapen('a part of a signature is elsewhere')
}

/** Checks a signature. Returns its parts. */
function checkSignature(signature: XmlElement, parent: XmlElement, rules: SignatureRules): XmlElement[] {
  const [info, value, keyInfo] = childrenInOrder(signature, ['SignedInfo', 'SignatureValue', 'KeyInfo'], 2)
  const [canonicalization, method, reference] = childrenInOrder(info, [
    'CanonicalizationMethod',
    'SignatureMethod',
    'Reference',
  ])
  const [transforms, digestMethod, digest] = childrenInOrder(reference, ['Transforms', 'DigestMethod', 'DigestValue'])
  const [enveloped, exclusive] = childrenInOrder(transforms, ['Transform', 'Transform'])
  const id = attributeOf(parent, 'ID')
  if (id === null || !ID.test(id) || (reference && attributeOf(reference, 'URI')) !== `#${id}`)
    throw misshapen('a signature refers to something else than its parent')
  requireAlgorithm(canonicalization, [ns.exclusive])
  requireAlgorithm(enveloped, [ENVELOPED])
  requireAlgorithm(exclusive, [ns.exclusive])
  requireAlgorithm(method, rules.allowSha1 ? [...SIGNATURE_METHODS, RSA_SHA1] : SIGNATURE_METHODS)
  requireAlgorithm(digestMethod, rules.allowSha1 ? [...DIGEST_METHODS, SHA1] : DIGEST_METHODS)
  for (const one of [value, method, digestMethod, digest, enveloped])
    if (one?.children.length !== 0) throw misshapen('a part of a signature has parts of its own')
  for (const one of [value, digest]) if (!BASE64_TEXT.test(one?.text ?? '')) throw misshapen('a digest is not Base64')
  for (const one of [canonicalization, exclusive])
    if (!isPlain(one)) throw misshapen('a canonicalization has unknown parts')
  for (const one of [info, canonicalization, method, reference, transforms, enveloped, exclusive, digestMethod, digest])
    if (one?.attributes.some(({ namespace }) => namespace !== ''))
      throw misshapen('a signature has an attribute that is not known')
  const parts = [signature, info, value, canonicalization, method, reference, transforms, enveloped, exclusive, digest]
  return [...parts, keyInfo].filter((part) => part !== undefined)
}

/** Whether the transform has no content except one list of prefixes, which may not be longer than documents need. */
function isPlain(canonicalization: XmlElement | undefined): boolean {
  const [list, ...more] = canonicalization?.children ?? []
  if (!list) return true
  const isList = list.namespace === ns.exclusive && list.name === 'InclusiveNamespaces' && list.children.length === 0
  return isList && more.length === 0 && (attributeOf(list, 'PrefixList') ?? '').length <= MAX_PREFIX_LIST
}

/**
 * The children, which must be exactly these elements of XML Signature in this order. Only the first `least` elements
 * are required.
 */
function childrenInOrder(element: XmlElement | undefined, names: string[], least = names.length): XmlElement[] {
  const children = element?.children ?? []
  const fits = children.every(({ namespace, name }, index) => namespace === ns.signature && name === names[index])
  if (!fits || children.length < least) throw misshapen('a signature has not the parts that it should')
  return children
}

function requireAlgorithm(element: XmlElement | undefined, allowed: string[]): void {
  const algorithm = (element && attributeOf(element, 'Algorithm')) ?? ''
  if (!allowed.includes(algorithm))
    throw new XmlRefusal(
      'algorithm',
      `The signature uses an algorithm that is not accepted: ${algorithm.slice(0, 100)}`,
    )
}

function misshapen(why: string): XmlRefusal {
  return new XmlRefusal('structure', `The document is not built as it should be: ${why}.`)
}
