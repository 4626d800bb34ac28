import { exampleOf, type Meanings, meaningsOf } from './kinds.ts'
import type { MailKind, MailValues, WrittenMail } from './message.ts'

/** The meanings of placeholders that several kinds of mail share. Each kind defines the meanings of its own. */
const COMMON: Meanings = {
  brand: { means: 'The name of the brand.' },
  standard: {
    means: 'The standard paragraphs, as one paragraph of the body. They say what differs from case to case.',
  },
  code: { means: 'The code, shown large below its paragraph.', secret: true, required: true },
  link: { means: 'The link, shown as a button below its paragraph.', secret: true, required: true },
  digits: {
    means: 'The same code in digits. Absent if codes are words or digits alone.',
    secret: true,
    optional: true,
  },
  expires_in: { means: 'How long the link works, or the code if there is no link, such as `10 minutes`.' },
  code_expires_in: { means: 'How long the code works, such as `5 minutes`. Absent without a code.', optional: true },
  new_address: { means: 'The new email address, masked.' },
}

/** A placeholder in a kind of mail. */
export interface Placeholder {
  name: string
  description: string
  /** Its value in a preview. Null for `standard`. */
  example: string | null
  required: boolean
  required_in_heading: boolean
  required_first: boolean
  /** Whether some mails have no value for it. */
  optional: boolean
  only_in_body: boolean
}

const known = new Map<MailKind, Placeholder[]>()

/**
 * Lists the placeholders of a kind, from its example. Throws if a placeholder has no meaning or the example lacks a
 * value.
 */
export function placeholdersOf(kind: MailKind): Placeholder[] {
  const found = known.get(kind) ?? findPlaceholders(kind)
  known.set(kind, found)
  return found
}

function findPlaceholders(kind: MailKind): Placeholder[] {
  const example = exampleOf(kind)
  if (!example) return []
  const values = { brand: 'Acme', ...example.values?.('en', 'Acme') }
  const all = { ...values, standard: null, ...blocksOf(example.write('en', namesOf(values))) }
  return Object.entries<string | null>(all).map(([name, value]) => {
    const meaning = meaningsOf(kind)[name] ?? COMMON[name]
    if (!meaning || (value === null && name !== 'standard'))
      throw new Error(`The placeholder ${name} of the mail ${kind} has no meaning or no example`)
    const { means, required = false, requiredInHeading = false, requiredFirst = false } = meaning
    return {
      ...{ name, description: means, example: value, required, required_in_heading: requiredInHeading },
      required_first: requiredFirst,
      optional: meaning.optional ?? false,
      only_in_body: meaning.secret ?? (name === 'standard' && !requiredFirst),
    }
  })
}

/** The values that a mail shows as separate blocks. */
export function blocksOf({ content: { code, button } }: WrittenMail): { code?: string; link?: string } {
  return { ...(code === undefined ? {} : { code }), ...(button ? { link: button.url } : {}) }
}

/** The placeholder for each value, such as `{expires_in}`. */
export function namesOf(values: MailValues): MailValues {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value === null ? null : `{${name}}`]))
}

/** Throws if a mail's values differ from the kind's list of placeholders. */
export function assertLikeExample(kind: MailKind, values: MailValues, written: WrittenMail): void {
  if (!exampleOf(kind)) return
  const listed = new Map(placeholdersOf(kind).map((placeholder) => [placeholder.name, placeholder]))
  const unlisted = Object.keys({ ...values, ...blocksOf(written) }).filter((name) => !listed.has(name))
  const absent = Object.entries(values).filter(([name, value]) => value === null && !listed.get(name)?.optional)
  if (absent.length > 0) throw new Error(`A mail ${kind} has no value for ${absent.map(([name]) => name).join(', ')}`)
  if (unlisted.length > 0) throw new Error(`The example of the mail ${kind} lacks ${unlisted.join(', ')}`)
}
