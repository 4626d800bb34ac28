import { changedFrom, record } from '../../../../platform/events/events.ts'
import { composeMail } from '../../../../platform/mail/compose.ts'
import { EXAMPLE_READER } from '../../../../platform/mail/examples.ts'
import { STANDARD } from '../../../../platform/mail/hidden.ts'
import { editableKinds, exampleOf, isNotice } from '../../../../platform/mail/kinds.ts'
import type { Message } from '../../../../platform/mail/message.ts'
import { type MailParts, type MailTemplate as Parts, standardParts } from '../../../../platform/mail/parts.ts'
import { namesOf, placeholdersOf } from '../../../../platform/mail/placeholders.ts'
import {
  assertNoProblems,
  changeTemplate,
  findTemplate,
  type TemplateKey,
  templatesInForce,
  templatesOf,
} from '../../../../platform/mail/templates.ts'
import { LANGUAGES } from '../../../../platform/messages/language.ts'
import { inTx, type Work } from '../../../../platform/work.ts'
import { templateErrors } from './errors.ts'
import { templateEvents } from './events.ts'
import type { MailTemplate, PreviewReply, TemplateBody, TemplateReply, TemplatesReply } from './schema.ts'

interface Named {
  kind: string
  language: string
}

/** All kinds of mails with their placeholders, and the languages in which their texts were changed. */
export async function listTemplates(work: Work): Promise<TemplatesReply> {
  const { own, inherited } = await templatesOf(work)
  const mine = work.directory.kind === 'account' ? 'account' : 'directory'
  const layers = [
    { stored: own, source: mine },
    { stored: inherited, source: 'account' },
  ] as const
  const kinds = editableKinds().map((kind) => ({
    kind,
    placeholders: placeholdersOf(kind),
    changed: LANGUAGES.flatMap((language) =>
      layers.flatMap(({ stored, source }) => {
        const found = findTemplate(stored, { kind, language })
        return found ? [{ language, source, problems: found.problems }] : []
      }),
    ),
  }))
  return { languages: [...LANGUAGES], kinds }
}

/** Throws `mail_template_not_found`. */
export async function getTemplate(work: Work, named: Named): Promise<TemplateReply> {
  const key = readKey(named)
  const found = findTemplate((await templatesOf(work)).own, key)
  return replyOf(work, key, found?.template ?? {}, found?.problems)
}

/** Throws `mail_template_not_found`, `invalid_request` and `mail_templates_too_large`. */
export async function setTemplate(work: Work, named: Named, body: TemplateBody): Promise<TemplateReply> {
  const key = readKey(named)
  const template = partsIn(body)
  return inTx(work, async (work) => {
    const before = toTemplate(key, (await changeTemplate(work, key, template)) ?? {})
    const data = toTemplate(key, template)
    await record(work, templateEvents.updated({ data, previous: changedFrom(before, data) }))
    return replyOf(work, key, template)
  })
}

/** Throws `mail_template_not_found`. */
export async function resetTemplate(work: Work, named: Named): Promise<TemplateReply> {
  const key = readKey(named)
  return inTx(work, async (work) => {
    const before = await changeTemplate(work, key, null)
    if (before) await record(work, templateEvents.reset({ data: toTemplate(key, before) }))
    return replyOf(work, key, {})
  })
}

/**
 * Renders the mail with example values, from the texts in the body, or else from the texts in force. Throws
 * `mail_template_not_found` and `invalid_request`.
 */
export async function previewMail(work: Work, named: Named, body: TemplateBody): Promise<PreviewReply> {
  const { kind, language } = readKey(named)
  const isDraft = PARTS.some((part) => body[part] !== undefined)
  const draft = isDraft ? partsIn(body) : undefined
  if (draft) assertNoProblems(kind, draft)
  const message = { ...getExample(kind), to: { ...EXAMPLE_READER, locale: language } }
  const { subject, text, html } = await composeMail(work, message, draft)
  return { subject, text, html }
}

const PARTS = ['subject', 'heading', 'body', 'button', 'footer'] as const

function readKey({ kind: name, language: tag }: Named): TemplateKey {
  const kind = editableKinds().find((kind) => kind === name)
  const language = LANGUAGES.find((language) => language === tag)
  if (!kind || !language) throw templateErrors.notFound()
  return { kind, language }
}

function getExample(kind: TemplateKey['kind']): Message {
  const example = exampleOf(kind)
  if (!example) throw templateErrors.notFound()
  return example
}

/** The parts that a body sets. */
function partsIn({ subject, heading, body, button, footer }: TemplateBody): Parts {
  return {
    ...(subject ? { subject } : {}),
    ...(heading ? { heading } : {}),
    ...(body ? { body } : {}),
    ...(button ? { button } : {}),
    ...(footer ? { footer } : {}),
  }
}

function toTemplate({ kind, language }: TemplateKey, parts: Parts): MailTemplate {
  const { subject = null, heading = null, body = null, button = null, footer = null } = parts
  return { kind, language, subject, heading, body, button, footer }
}

async function replyOf(
  work: Work,
  key: TemplateKey,
  template: Parts,
  problems: TemplateReply['problems'] = [],
): Promise<TemplateReply> {
  return {
    template: toTemplate(key, template),
    inherited: Object.assign(standardTexts(key), ...(await templatesInForce(work, key, {})).toReversed()),
    problems,
  }
}

/** The standard texts of a kind, with placeholders, from the kind's example. */
function standardTexts({ kind, language }: TemplateKey): MailParts {
  const example = getExample(kind)
  const names = namesOf({ brand: '', ...example.values?.(language, '') })
  const written = example.write(language, names)
  const parts = standardParts(written, language)
  // In the form that a customer's own text must have.
  if (!isNotice(kind)) return parts
  const body = [STANDARD, ...parts.body.slice(written.content.paragraphs.length)]
  return { subject: STANDARD, heading: STANDARD, body, button: parts.button && STANDARD, footer: STANDARD }
}
