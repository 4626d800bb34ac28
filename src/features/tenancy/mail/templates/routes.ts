import { defineRoute, type Route } from '../../../../platform/http/route.ts'
import { mailErrors } from '../../../../platform/mail/errors.ts'
import { accountDefaults } from '../../../../platform/settings/settings.ts'
import type { AccountWork, Work } from '../../../../platform/work.ts'
import { templateErrors } from './errors.ts'
import { templateEvents } from './events.ts'
import { EXAMPLES, PreviewReply, TEXTS, TemplateBody, TemplateParams, TemplateReply, TemplatesReply } from './schema.ts'
import { getTemplate, listTemplates, previewMail, resetTemplate, setTemplate } from './templates.ts'

const tag = 'Mail'

/** The work of the environment's defaults. Throws `sub_org_mismatch`. */
const defaultsOf = (work: AccountWork): Work => ({ ...work, directory: accountDefaults(work.account).directory })

const RULES =
  'Texts are plain: placeholders in braces are filled in, and markup is shown as it is typed. Replaces all parts; those that are null or absent are inherited. Refused with `invalid_request`: a body that lacks a required placeholder such as {code} or {link}, a code or link outside the body, unknown placeholders, invisible characters, and what email programs turn into a link.'

const put = {
  method: 'PUT',
  scope: 'auth.settings.write',
  tag,
  params: TemplateParams,
  body: TemplateBody,
  reply: TemplateReply,
  event: templateEvents.updated,
  examples: { body: TEXTS, reply: EXAMPLES.set },
} as const

const putErrors = [templateErrors.notFound, mailErrors.templatesTooLarge]

const reset = {
  method: 'DELETE',
  scope: 'auth.settings.write',
  tag,
  params: TemplateParams,
  reply: TemplateReply,
  examples: { reply: EXAMPLES.reset },
} as const

const ofReset = { errors: [templateErrors.notFound], maybeEvents: [templateEvents.reset] }

export const mailTemplateRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/mail/templates',
    operation: 'mail.listTemplates',
    scope: 'auth.settings.read',
    tag,
    summary: 'List the texts of emails',
    description:
      'Every kind of email with its placeholders, and the languages in which its texts were changed. Without subOrgId, an org-wide key reads those of its environment’s defaults.',
    reply: TemplatesReply,
    handle: (work) => listTemplates(work),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/mail/templates/{kind}/{language}',
    operation: 'mail.getTemplate',
    scope: 'auth.settings.read',
    tag,
    summary: 'Read the texts of an email',
    description:
      'What the organization has set, and what it inherits. Without subOrgId, an org-wide key reads the defaults of its environment.',
    params: TemplateParams,
    reply: TemplateReply,
    errors: [templateErrors.notFound],
    examples: { reply: EXAMPLES.set },
    handle: (work, { params }) => getTemplate(work, params),
  }),
  defineRoute({
    ...put,
    errors: putErrors,
    path: '/v1/mail/templates/{kind}/{language}',
    operation: 'mail.updateTemplate',
    summary: 'Set the texts of an email',
    description: `For one language: readers of another one get the texts of their own language. ${RULES}`,
    handle: (work, { params, body }) => setTemplate(work, params, body),
  }),
  defineRoute({
    ...reset,
    ...ofReset,
    path: '/v1/mail/templates/{kind}/{language}',
    operation: 'mail.resetTemplate',
    summary: 'Reset the texts of an email',
    description: 'The organization inherits all parts again. Succeeds if nothing was set.',
    handle: (work, { params }) => resetTemplate(work, params),
  }),
  defineRoute({
    ...put,
    errors: putErrors,
    path: '/v1/mail/templates/{kind}/{language}/defaults',
    operation: 'mail.updateDefaultTemplate',
    directory: 'account',
    writes: 'own-environment',
    summary: 'Set the default texts of an email',
    description: `For org-wide keys: what the organizations of the environment inherit. ${RULES}`,
    handle: (work, { params, body }) => setTemplate(defaultsOf(work), params, body),
  }),
  defineRoute({
    ...reset,
    ...ofReset,
    path: '/v1/mail/templates/{kind}/{language}/defaults',
    operation: 'mail.resetDefaultTemplate',
    directory: 'account',
    writes: 'own-environment',
    summary: 'Reset the default texts of an email',
    description: 'For org-wide keys. The organizations of the environment inherit the standard texts again.',
    handle: (work, { params }) => resetTemplate(defaultsOf(work), params),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/mail/templates/{kind}/{language}/preview',
    operation: 'mail.previewTemplate',
    scope: 'auth.settings.read',
    directory: 'one-or-account',
    tag,
    summary: 'Preview an email',
    description:
      'The email exactly as it would be sent, with the example values of the placeholders. With texts in the body they count as if they were set, and are refused by the same rules; without, the texts in force. Sends and changes nothing. Without subOrgId, an org-wide key previews the defaults of its environment.',
    params: TemplateParams,
    body: TemplateBody,
    reply: PreviewReply,
    errors: [templateErrors.notFound],
    examples: { body: TEXTS },
    handle: (work, { params, body }) => previewMail(work, params, body),
  }),
]
