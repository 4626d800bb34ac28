import { type FieldError, httpErrors } from '../errors.ts'
import { LANGUAGES, type Language } from '../messages/language.ts'
import { onlyObject, rowsOf, type Tenant } from '../settings/settings-rows.ts'
import { inTx, type Work } from '../work.ts'
import { mailErrors } from './errors.ts'
import { editableKinds } from './kinds.ts'
import type { MailKind } from './message.ts'
import type { MailTemplate } from './parts.ts'
import { mailSettings, ownSubject } from './settings.ts'
import { findProblems, readTemplate } from './template-rules.ts'

// Templates are stored in the row of the mail settings, so that one read returns both.
const { layers, write } = rowsOf('mail_settings')
const FIELD = 'templates'

/** The limit for all templates of a directory together, because every process keeps them in memory. */
const MAX_CHARACTERS = 100_000

export interface TemplateKey {
  kind: MailKind
  language: Language
}

/** A template that a directory has set. */
export interface StoredTemplate extends TemplateKey {
  template: MailTemplate
  /** Reasons why this release does not use the template. */
  problems: FieldError[]
}

/** The templates of a directory and of its defaults. */
export interface TemplateLayers {
  own: StoredTemplates
  inherited: StoredTemplates
}

type StoredTemplates = ReadonlyMap<string, StoredTemplate>

/** Reads the templates of a directory from the cache of its settings. */
export async function templatesOf(work: Tenant): Promise<TemplateLayers> {
  const { own, inherited } = await layers(work)
  return { own: read(own), inherited: read(inherited) }
}

export function findTemplate(stored: StoredTemplates, key: TemplateKey): StoredTemplate | null {
  return stored.get(nameOf(key)) ?? null
}

/**
 * Returns the texts that override the standard ones, most important first: the directory's template, its subject for
 * the kind, and the same two of the inherited defaults. `draft` replaces the directory's template.
 */
export async function templatesInForce(
  work: Tenant,
  { kind, language }: TemplateKey,
  draft?: MailTemplate,
): Promise<MailTemplate[]> {
  const { own, inherited } = await layers(work)
  const subject = ownSubject(await mailSettings().effective(work), kind)
  const bySettings = subject === null ? {} : { subject }
  const isOwn = subject !== null && onlyObject(own['subjects'])[kind] === subject
  return [
    draft ?? usable(read(own), { kind, language }),
    isOwn ? bySettings : {},
    usable(read(inherited), { kind, language }),
    bySettings,
  ]
}

/** The template as mails use it. Empty if it has problems. */
function usable(stored: StoredTemplates, key: TemplateKey): MailTemplate {
  const found = findTemplate(stored, key)
  return found && found.problems.length === 0 ? found.template : {}
}

/**
 * Sets the texts of a kind of mail in a language, or removes them with null. Returns the directory's earlier texts.
 * Throws `invalid_request` for texts with problems, and `mail_templates_too_large`.
 */
export async function changeTemplate(
  work: Work,
  key: TemplateKey,
  template: MailTemplate | null,
): Promise<MailTemplate | null> {
  if (template) assertNoProblems(key.kind, template)
  const name = nameOf(key)
  return inTx(work, async (work) => {
    const { before, after } = await write(work, { [FIELD]: { [name]: template } })
    if (template && JSON.stringify(after[FIELD]).length > MAX_CHARACTERS) throw mailErrors.templatesTooLarge()
    return readTemplate(onlyObject(before[FIELD])[name])
  })
}

/** Throws `invalid_request` with each invalid field and its problem. */
export function assertNoProblems(kind: MailKind, template: MailTemplate): void {
  const errors = findProblems(kind, template)
  const [first] = errors
  if (first) throw httpErrors.invalidRequest({ detail: `${first.message}.`, errors })
}

const nameOf = ({ kind, language }: TemplateKey) => `${kind}/${language}`

// Cached rows stay the same objects until they change, so their templates are checked only once.
const known = new WeakMap<object, StoredTemplates>()

function read(row: Record<string, unknown>): StoredTemplates {
  const stored = known.get(row) ?? readAll(onlyObject(row[FIELD]))
  known.set(row, stored)
  return stored
}

function readAll(values: Record<string, unknown>): StoredTemplates {
  const found = new Map<string, StoredTemplate>()
  for (const kind of editableKinds())
    for (const language of LANGUAGES) {
      const name = nameOf({ kind, language })
      const value = values[name]
      if (value === undefined) continue
      const template = readTemplate(value)
      const problems = template ? findProblems(kind, template) : [UNREADABLE]
      found.set(name, { kind, language, template: template ?? {}, problems })
    }
  return found
}

const UNREADABLE = {
  field: '',
  code: 'unreadable',
  message: 'Another release stored it in a form that this one cannot read',
}
