import type { FieldError } from '../errors.ts'

/** A placeholder in a text, with its name. */
export const PLACEHOLDER = /\{(\w+)\}/g
export const STANDARD = '{standard}'

/** Whether a text begins with the standard text, followed by the end of the word, and contains it only once. */
export function beginsWithStandard(text: string): boolean {
  return /^\{standard\}(?!\S)/.test(text) && text.split(STANDARD).length === 2
}

// Characters that are invisible, change the direction of text, are for private use or are unassigned. U+FE0F follows
// emoji and is allowed. U+2800 is a blank Braille pattern.
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}\u2800]|(?!\uFE0F)\p{Default_Ignorable_Code_Point}/u

// Texts that mail programs turn into links, which readers would trust. An ideographic full stop between words is
// punctuation in Japanese.
const LINKS = [
  /[\p{L}\p{N}+.-]:\/\//u,
  /\b(?:mailto|tel|sms|data|javascript):\S/iu,
  /[\p{L}\p{M}\p{N}_-][.\uFF0E\uFF61]\p{L}[\p{L}\p{M}\p{N}-]/u,
  /[a-z\d-]\u3002[a-z]{2}/iu,
  /\d{1,3}(?:\.\d{1,3}){3}/,
  /\S[@\uFF20]\S/u,
]

/** Reports invisible characters and links in the text of a mail. */
export function findHidden(field: string, text: string): FieldError[] {
  return [
    ...(INVISIBLE.test(text)
      ? [{ field, code: 'invisible_character', message: `${field} must not contain invisible characters` }]
      : []),
    ...(hasLink(text) ? [{ field, code: 'link', message: `${field} ${NO_LINK}${nameLinks(text)}` }] : []),
  ]
}

const NO_LINK = 'must not contain what email programs turn into a link'

function hasLink(text: string): boolean {
  // A placeholder counts as two letters, the length of the shortest top-level domain.
  const shown = text.replaceAll(PLACEHOLDER, 'xx').normalize('NFKC')
  return LINKS.some((link) => link.test(shown))
}

const NAMED_LINKS = 3
const NAMED_CHARACTERS = 60

/** The first words that are links, to show to the author of the text. */
function nameLinks(text: string): string {
  const words = text.split(/\s+/).filter(hasLink).slice(0, NAMED_LINKS)
  if (words.length === 0) return ''
  const shown = words.map((word) =>
    [...word]
      .filter((each) => !INVISIBLE.test(each))
      .slice(0, NAMED_CHARACTERS)
      .join(''),
  )
  return `: ${shown.map((word) => JSON.stringify(word)).join(', ')}`
}
