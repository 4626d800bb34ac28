import { Type } from 'typebox'
import type { FieldError } from '../errors.ts'
import { nullable } from '../schema.ts'
import { fits } from '../validator.ts'
import { beginsWithStandard, findHidden, PLACEHOLDER, STANDARD } from './hidden.ts'
import type { MailKind } from './message.ts'
import type { MailTemplate } from './parts.ts'
import { type Placeholder, placeholdersOf } from './placeholders.ts'
import { textLine } from './settings.ts'

const parts = {
  subject: textLine(150, 'Your words for {brand}'),
  heading: textLine(150, 'Sign in to {brand}'),
  body: Type.Array(textLine(500), {
    minItems: 1,
    maxItems: 20,
    examples: [['Enter these words where you sign in to {brand}:', '{code}']],
  }),
  button: textLine(60, 'Sign in'),
  footer: textLine(500, 'They work for {expires_in}.'),
}

/** The parts as fields of a request body or a response. */
export const partFields = {
  subject: nullable(parts.subject, 'The subject line.'),
  heading: nullable(parts.heading, 'The heading, which is the first line of the email.'),
  body: nullable(
    parts.body,
    'The paragraphs below the heading. `{link}` and `{code}` must be at the end of a paragraph. The button or the code is shown below that paragraph. A paragraph `{standard}` stands for the standard paragraphs. In notices of a change to the account, every part that is set must begin with `{standard}`. A paragraph with a placeholder that has no value is omitted.',
  ),
  button: nullable(parts.button, 'The label of the button that opens the link. Null in emails without a link.'),
  footer: nullable(parts.footer, 'The last paragraph, in small print.'),
}

const Stored = Type.Partial(Type.Object(parts))

/** The parts in a row, or null if this release cannot read them. */
export function readTemplate(value: unknown): MailTemplate | null {
  return fits(Stored, value) ? value : null
}

/**
 * Finds problems in a template. Stored templates are checked again too, because a different release may have stored
 * them.
 */
export function findProblems(kind: MailKind, template: MailTemplate): FieldError[] {
  const placeholders = placeholdersOf(kind)
  const { body = null, ...lines } = template
  const written = [
    ...Object.entries(lines).map(([field, text]) => ({ field, text, isBody: false })),
    ...(body ?? []).map((text, at) => ({ field: `body.${at}`, text, isBody: true })),
  ]
  return [
    ...written.flatMap((text) => findTextProblems(text, placeholders)),
    ...(body === null ? [] : findBodyProblems(body, placeholders)),
    ...findHeadingProblems(template.heading, placeholders),
    ...findStartProblems(template, placeholders),
    ...(template.button === undefined || placeholders.some(({ name }) => name === 'link')
      ? []
      : [problem('button', 'unused', 'button is of no use: this email has no link')]),
  ]
}

function problem(field: string, code: string, message: string): FieldError {
  return { field, code, message }
}

interface PartText {
  field: string
  text: string
  isBody: boolean
}

/** A placeholder at the end of its paragraph, or alone in it. */
const PLACED_BLOCK = /\{(?:code|link)\}$/

function findTextProblems({ field, text, isBody }: PartText, placeholders: Placeholder[]): FieldError[] {
  const names = namesIn(text)
  const unknown = names.find((name) => !placeholders.some((known) => known.name === name))
  const bodyOnly = isBody ? [] : names.filter((name) => placeholders.some((p) => p.name === name && p.only_in_body))
  const inside = text.replace(PLACED_BLOCK, '')
  const braces = text.replaceAll(PLACEHOLDER, '')
  const isMisplaced =
    bodyOnly.length > 0 ||
    /\{(?:code|link)\}/.test(inside) ||
    (isBody && names.includes('standard') && text !== STANDARD)
  return [
    ...(unknown === undefined && !/[{}]/.test(braces)
      ? []
      : [problem(field, 'placeholder', `${field} may contain no placeholder but ${listed(placeholders, isBody)}`)]),
    ...(isMisplaced ? [problem(field, 'placeholder_misplaced', `${field}: ${PLACES}`)] : []),
    ...findHidden(field, text),
  ]
}

const PLACES =
  '{code}, {link} and {digits} belong in the body alone, {code} and {link} at the end of a paragraph, {standard} as a paragraph of its own'

function findBodyProblems(body: string[], placeholders: Placeholder[]): FieldError[] {
  const counts = (name: string) => body.flatMap(namesIn).filter((each) => each === name).length
  const required = placeholders.filter((placeholder) => placeholder.required).map(({ name }) => name)
  // If a mail lacks one of these values, the paragraph is left out, except for the code or link at its end.
  const isOptional = (name: string) => placeholders.some((each) => each.name === name && each.optional)
  const isKept = (name: string, paragraph: string) => {
    const names = namesIn(paragraph)
    return names.includes(name) && (isBlock(name) || !names.some((each) => isBlock(each) || isOptional(each)))
  }
  const missing = required.filter((name) => !body.some((paragraph) => isKept(name, paragraph)))
  const repeated = ['code', 'link', 'standard'].filter((name) => counts(name) > 1)
  return [
    ...missing.map((name) => problem('body', 'placeholder_missing', `body must contain {${name}}`)),
    ...repeated.map((name) => problem('body', 'placeholder_repeated', `body must contain {${name}} once`)),
  ]
}

/** Reports placeholders that a heading requires but lacks. */
function findHeadingProblems(heading: string | undefined, placeholders: Placeholder[]): FieldError[] {
  if (heading === undefined) return []
  const names = namesIn(heading)
  return placeholders
    .filter(({ name, required_in_heading }) => required_in_heading && !names.includes(name))
    .map(({ name }) => problem('heading', 'placeholder_missing', `heading must contain {${name}}`))
}

/** Reports parts that must begin with the standard text but do not. */
function findStartProblems({ body, ...lines }: MailTemplate, placeholders: Placeholder[]): FieldError[] {
  if (!placeholders.some((each) => each.required_first)) return []
  const starts = [...Object.entries(lines), ...(body ? [['body', body[0] ?? ''] as const] : [])]
  return starts
    .filter(([, text]) => !beginsWithStandard(text))
    .map(([field]) => problem(field, 'placeholder_first', `${field} must begin with {standard}, once`))
}

const isBlock = (name: string) => name === 'code' || name === 'link'

function namesIn(text: string): string[] {
  return [...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name)
}

function listed(placeholders: Placeholder[], isBody: boolean): string {
  const names = placeholders.filter((each) => isBody || !each.only_in_body).map(({ name }) => `{${name}}`)
  return names.join(', ')
}
