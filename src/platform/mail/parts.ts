import type { Language } from '../messages/language.ts'
import { texts } from '../messages/texts.gen.ts'
import { PLACEHOLDER, STANDARD } from './hidden.ts'
import { type Block, endWithoutLink, type LaidMail, oneLine } from './layout.ts'
import type { MailValues, WrittenMail } from './message.ts'

/** The texts of a mail, with placeholders. */
export interface MailParts {
  subject: string
  heading: string
  /**
   * Paragraphs. At the end of a paragraph, `{link}` places the button and `{code}` the code. A paragraph with only
   * `{standard}` stands for all standard paragraphs.
   */
  body: string[]
  /** Null for a mail without a link. */
  button: string | null
  footer: string
}

/** The parts that a directory has set. */
export type MailTemplate = { [P in keyof MailParts]?: NonNullable<MailParts[P]> }

/** Matches a paragraph: the text before its block, and the name of the block. */
const BLOCK = /^(.*?)\s*\{(code|link)\}$/su

/** The standard texts of a mail. */
export function standardParts({ subject, content }: WrittenMail, language: Language): MailParts {
  const { heading, paragraphs, button, code, codeLabel = texts.mail.layout.orEnterCode(language), footer } = content
  const label = button || content.codeLabel !== undefined ? `${codeLabel} ` : ''
  const body = [...paragraphs, ...(button ? ['{link}'] : []), ...(code === undefined ? [] : [`${label}{code}`])]
  return { subject, heading, body, button: button?.label ?? null, footer }
}

/**
 * Returns the texts of a mail with values filled in. For each part, the first template that has it is used, or else
 * the standard text. A text is skipped if it has a placeholder without a value in this mail. In a body, only the
 * paragraph is skipped, and its code or link stays.
 */
export function layOut(
  written: WrittenMail,
  values: MailValues,
  templates: MailTemplate[],
  language: Language,
): LaidMail & { subject: string } {
  const { content } = written
  const standard = standardParts(written, language)
  const first = (part: 'subject' | 'heading' | 'button' | 'footer') => {
    const own = templates.map((template) => template[part]?.replace(STANDARD, () => standard[part] ?? '') ?? null)
    const given = [...own, standard[part]]
    return given.map((text) => (text === null ? null : fill(text, values))).find((text) => text !== null) ?? ''
  }
  const places: Places = {
    values,
    code: content.code,
    button: content.button && { label: first('button'), url: content.button.url },
    standard: { paragraphs: content.paragraphs, body: standard.body },
  }
  const bodies = [...templates.flatMap(({ body }) => (body ? [body] : [])), standard.body].map((body) =>
    lay(body, places),
  )
  // A body stored by an earlier release may lack a code or link that the mail now has.
  const wanted = namesOfBlocks(lay(standard.body, places))
  const blocks = bodies.find((blocks) => namesOfBlocks(blocks) === wanted) ?? []
  return { subject: first('subject'), heading: first('heading'), blocks, footer: first('footer') }
}

const namesOfBlocks = (blocks: Block[]) =>
  blocks
    .flatMap((block) => ('text' in block ? [] : Object.keys(block)))
    .toSorted()
    .join()

/** The values and blocks that replace the placeholders of a body. */
interface Places {
  values: MailValues
  code: string | undefined
  button: { label: string; url: string } | undefined
  standard: { paragraphs: string[]; body: string[] }
}

function lay(body: string[], places: Places): Block[] {
  const { values, standard } = places
  return body.flatMap((paragraph) => {
    if (paragraph === STANDARD) return standard.paragraphs.flatMap((text) => textBlock(fill(text, values)))
    const [, before = '', name] = BLOCK.exec(paragraph) ?? []
    if (name === undefined) return textBlock(fill(paragraph, values))
    const block = blockOf(name, places)
    // The block belongs to another mail of this kind.
    if (block === null) return []
    return [...textBlock(fill(before, values) ?? fill(standardLabel(name, standard.body), values)), block]
  })
}

function blockOf(name: string, { code, button }: Places): Block | null {
  if (name === 'link') return button ? { button } : null
  return code === undefined ? null : { code: oneLine(code) }
}

function textBlock(text: string | null): Block[] {
  return text ? [{ text }] : []
}

function standardLabel(name: string, body: string[]): string {
  const found = body.map((paragraph) => BLOCK.exec(paragraph)).find((match) => match?.[2] === name)
  return found?.[1] ?? ''
}

/**
 * Fills in the placeholders in one pass, so that a value that looks like a placeholder stays unchanged. Returns null
 * if a placeholder has no value in this mail.
 */
function fill(text: string, values: MailValues): string | null {
  let isLacking = false
  const filled = text.replaceAll(PLACEHOLDER, (whole, name: string, at: number) => {
    if (!Object.hasOwn(values, name)) return whole
    isLacking ||= values[name] === null
    return endWithoutLink(values[name] ?? '', text.slice(at + whole.length))
  })
  return isLacking ? null : oneLine(filled)
}
