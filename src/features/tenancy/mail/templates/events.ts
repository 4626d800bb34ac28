import { defineEvents } from '../../../../platform/events/events.ts'
import { EXAMPLES, MailTemplate } from './schema.ts'

export const templateEvents = defineEvents({
  updated: [
    'mail.template.updated',
    'The texts of a kind of email were changed, for an organization or the defaults of its environment.',
    MailTemplate,
    EXAMPLES.set.template,
  ],
  reset: [
    'mail.template.reset',
    'The texts of a kind of email were reset, for an organization or the defaults of its environment.',
    MailTemplate,
    EXAMPLES.set.template,
  ],
})
