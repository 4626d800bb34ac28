import { exampleOf } from './kinds.ts'
import type { MailKind, MailValues, WrittenMail } from './message.ts'

interface Meaning {
  means: string
  /** It signs the reader in: only the body may have it, since lock screens show subjects and the first line. */
  secret?: true
  /** A body without it is refused. */
  required?: true
  /** A mail may have no value for it. */
  optional?: true
}

/** What placeholders mean, in every kind of mail that has them. */
const MEANINGS = {
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
  undo_expires_in: {
    means: 'How long the link works, such as `7 days`. Absent if the old address cannot be restored.',
    optional: true,
  },
  organization: { means: 'The name of the organization, or else of the brand.' },
  inviter: { means: 'The name of the person who sent the invitation. Absent if it is unknown.', optional: true },
  new_address: { means: 'The new email address, masked.' },
  account_address: {
    means:
      'The present email address of the account that asks, masked: by it the reader recognizes the request of a stranger.',
    required: true,
  },
  provider: { means: 'The name of the connection or provider.' },
  time: { means: 'When the user signed in, in UTC.' },
  device: { means: 'The browser and system, such as `Firefox on Linux`.' },
  ip: { means: 'The IP address. Absent if it is unknown.', optional: true },
  codes_left: { means: 'The number of backup codes that are left.' },
  passkey_names: { means: 'The name of the passkey, or of several. Absent without a name.', optional: true },
  duration: { means: 'The longest time that the session lasts, such as `10 minutes`.' },
} as const satisfies Record<string, Meaning>

/** A placeholder of a kind of mail. */
export interface Placeholder {
  name: string
  description: string
  /** Its value in a preview; null for `standard`. */
  example: string | null
  required: boolean
  only_in_body: boolean
}

const known = new Map<MailKind, Placeholder[]>()

/** The placeholders of a kind, as its example has them. Throws for one without a meaning, and for an example without a value. */
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
    const meaning = meaningOf(name)
    if (!meaning || (value === null && name !== 'standard'))
      throw new Error(`The placeholder ${name} of the mail ${kind} has no meaning or no example`)
    const { means, required = false, secret = false } = meaning
    return { name, description: means, example: value, required, only_in_body: secret || name === 'standard' }
  })
}

function meaningOf(name: string): Meaning | null {
  return Object.entries<Meaning>(MEANINGS).find(([known]) => known === name)?.[1] ?? null
}

/** The values that a mail shows as a block of its own. */
export function blocksOf({ content: { code, button } }: WrittenMail): { code?: string; link?: string } {
  return { ...(code === undefined ? {} : { code }), ...(button ? { link: button.url } : {}) }
}

/** The placeholder of each value, such as `{expires_in}`. */
export function namesOf(values: MailValues): MailValues {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value === null ? null : `{${name}}`]))
}

/** Whether some mails have no value for it, so that their texts do without it. */
export function isOptional(name: string): boolean {
  return meaningOf(name)?.optional ?? false
}

/** Throws if a mail has or lacks what the list of placeholders does not tell. */
export function assertLikeExample(kind: MailKind, values: MailValues, written: WrittenMail): void {
  if (!exampleOf(kind)) return
  const listed = new Set(placeholdersOf(kind).map(({ name }) => name))
  const unlisted = Object.keys({ ...values, ...blocksOf(written) }).filter((name) => !listed.has(name))
  const absent = Object.entries(values).filter(([name, value]) => value === null && !isOptional(name))
  if (absent.length > 0) throw new Error(`A mail ${kind} has no value for ${absent.map(([name]) => name).join(', ')}`)
  if (unlisted.length > 0) throw new Error(`The example of the mail ${kind} lacks ${unlisted.join(', ')}`)
}
