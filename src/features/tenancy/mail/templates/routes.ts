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
  'Texts are plain text: placeholders in braces are replaced by their values, and markup is not interpreted. Replaces all parts. Parts that are null or absent are inherited. Returns `invalid_request` if the body lacks a required placeholder such as {code} or {link}, if a code or link is outside the body, and for unknown placeholders, invisible characters, and text that email programs turn into a link.'

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
    summary: 'List email texts',
    description:
      'Lists every kind of email with its placeholders and with the languages in which its texts have been changed. Without subOrgId, an org-wide key (not limited to one organization) reads the defaults of its environment.',
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
      'Returns the texts that the organization has set, and the texts that it inherits for the rest. Without subOrgId, an org-wide key (not limited to one organization) reads the defaults of its environment.',
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
    description: `Sets the texts for one language. Readers in other languages get the texts in their own language. ${RULES}`,
    handle: (work, { params, body }) => setTemplate(work, params, body),
  }),
  defineRoute({
    ...reset,
    ...ofReset,
    path: '/v1/mail/templates/{kind}/{language}',
    operation: 'mail.resetTemplate',
    summary: 'Reset the texts of an email',
    description: 'The organization then inherits all parts. The request also succeeds if no texts were set.',
    handle: (work, { params }) => resetTemplate(work, params),
  }),
  defineRoute({
    ...put,
    errors: putErrors,
    path: '/v1/mail/templates/{kind}/{language}/defaults',
    operation: 'mail.updateDefaultTemplate',
    directory: 'account',
    writes: 'own-environment',
    summary: 'Set default texts of an email',
    description: `Requires an org-wide key (not limited to one organization). Organizations of the environment inherit these texts. ${RULES}`,
    handle: (work, { params, body }) => setTemplate(defaultsOf(work), params, body),
  }),
  defineRoute({
    ...reset,
    ...ofReset,
    path: '/v1/mail/templates/{kind}/{language}/defaults',
    operation: 'mail.resetDefaultTemplate',
    directory: 'account',
    writes: 'own-environment',
    summary: 'Reset default texts of an email',
    description:
      'Requires an org-wide key (not limited to one organization). The organizations of the environment inherit the standard texts again.',
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
      'Returns the email exactly as it would be sent, with example values for the placeholders. Texts in the request replace the stored texts in this preview, and must follow the same rules as stored texts. No email is sent, and nothing is changed. Without subOrgId, an org-wide key (not limited to one organization) previews the defaults of its environment.',
    params: TemplateParams,
    body: TemplateBody,
    reply: PreviewReply,
    errors: [templateErrors.notFound],
    examples: { body: TEXTS },
    handle: (work, { params, body }) => previewMail(work, params, body),
  }),
]
