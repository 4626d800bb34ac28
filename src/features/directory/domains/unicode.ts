import { domainToUnicode } from 'node:url'

/** Scripts that may be mixed, according to the rule that browsers apply (Unicode TS 39 §5.2, highly restrictive). */
const TOGETHER = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
]
const SCRIPTS = [
  ...new Set(TOGETHER.flat()),
  ...['Arabic', 'Armenian', 'Bengali', 'Cyrillic', 'Devanagari', 'Ethiopic', 'Georgian', 'Greek', 'Gujarati'],
  ...['Gurmukhi', 'Hebrew', 'Kannada', 'Khmer', 'Lao', 'Malayalam', 'Myanmar', 'Oriya', 'Sinhala', 'Tamil', 'Telugu'],
  ...['Thaana', 'Thai', 'Tibetan'],
].map((name) => ({ name, pattern: new RegExp(`\\p{Script=${name}}`, 'u') }))

// Letters that look like Latin ones. A label of only these letters could be read as another word.
const LOOKALIKES = /^[аысԁеԍһіюјӏорԗԛѕԝхуъьҽпгѵѡαικνορτυωγηχ\d-]+$/u

/**
 * An internationalized name as people write it. Null if it is the same as `domain`, or could be mistaken for another
 * name: it mixes scripts, or has a label of only letters that look like Latin ones.
 */
export function unicodeOf(domain: string): string | null {
  const text = domainToUnicode(domain)
  return text !== domain && text.split('.').every(isPlain) ? text : null
}

function isPlain(label: string): boolean {
  if (/^[a-z\d-]*$/.test(label)) return true
  const letters = [...label].filter((letter) => !/[\p{Script=Common}\p{Script=Inherited}]/u.test(letter))
  const scripts = new Set(letters.map((letter) => SCRIPTS.find(({ pattern }) => pattern.test(letter))?.name))
  if (scripts.has(undefined)) return false
  const isTogether = TOGETHER.some((group) => [...scripts].every((name) => group.includes(name ?? '')))
  return (scripts.size === 1 || isTogether) && !LOOKALIKES.test(label)
}
