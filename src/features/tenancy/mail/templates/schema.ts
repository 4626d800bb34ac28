import { type Static, Type } from 'typebox'
import { partFields } from '../../../../platform/mail/template-rules.ts'
import { LANGUAGES } from '../../../../platform/messages/language.ts'
import { named, nullable, oneOf } from '../../../../platform/schema.ts'

export const TemplateParams = Type.Object({
  kind: Type.String({ description: 'Kind of email: `kind` in `GET /v1/mail/templates`.', examples: ['login_otp'] }),
  language: Type.String({ description: `Language: ${LANGUAGES.join(', ')}.`, examples: ['en'] }),
})

const kind = Type.String({ description: 'The kind of email.', examples: ['login_otp'] })
const language = oneOf(LANGUAGES, { description: 'The language of the texts.', examples: ['en'] })

/** The texts that a directory has set for a kind and language. */
export const MailTemplate = named(
  'MailTemplate',
  Type.Object(
    { kind, language, ...partFields },
    { description: 'The texts of a kind of email in one language, as they were set. Null: inherited.' },
  ),
)
export type MailTemplate = Static<typeof MailTemplate>

export const TemplateBody = named(
  'MailTemplatePut',
  Type.Object(
    {
      subject: Type.Optional(partFields.subject),
      heading: Type.Optional(partFields.heading),
      body: Type.Optional(partFields.body),
      button: Type.Optional(partFields.button),
      footer: Type.Optional(partFields.footer),
    },
    { description: 'All texts of a kind of email in one language. Null or absent: inherited.' },
  ),
)
export type TemplateBody = Static<typeof TemplateBody>

const NOTHING = { subject: null, heading: null, body: null, button: null, footer: null }
const OF = { kind: 'login_otp', language: 'en' }

/** The texts in examples. */
export const TEXTS = {
  ...NOTHING,
  subject: 'Your words for {brand}',
  body: ['Enter these words where you sign in to {brand}:', '{code}'],
}
const inherited = {
  subject: 'Your sign-in code',
  heading: 'Your sign-in code',
  body: ['Enter these words to sign in.', 'If you are asked for digits, enter {digits} instead.', '{code}'],
  button: null,
  footer: 'They work once, within {expires_in}. If you did not ask for them, ignore this email and do not share them.',
}
export const EXAMPLES = {
  set: { template: { ...OF, ...TEXTS }, inherited, problems: [] },
  reset: { template: { ...OF, ...NOTHING }, inherited, problems: [] },
}

const Problem = named(
  'MailTemplateProblem',
  Type.Object(
    {
      field: Type.String({ description: 'The part, such as `body.2`.', examples: ['body'] }),
      code: Type.String({ description: 'The problem as a code.', examples: ['placeholder_missing'] }),
      message: Type.String({ description: 'The problem as a sentence.', examples: ['body must contain {code}'] }),
    },
    { description: 'Why stored texts are not used.' },
  ),
)

const problems = Type.Array(Problem, {
  description:
    'Problems of the stored texts. Not empty only if another release of the service stored texts that break a rule of this release. Emails then use the inherited texts.',
  examples: [[]],
})

const Placeholder = named(
  'MailPlaceholder',
  Type.Object(
    {
      name: Type.String({
        description: 'Name of the placeholder, written in braces in a text.',
        examples: ['expires_in'],
      }),
      description: Type.String({
        description: 'Meaning of the placeholder.',
        examples: ['How long the code is valid.'],
      }),
      example: nullable(
        Type.String({ examples: ['5 minutes'] }),
        'Example value, used in previews. Null only for `standard`, which stands for paragraphs.',
      ),
      required: Type.Boolean({ description: 'Whether the body must contain the placeholder.', examples: [false] }),
      required_in_heading: Type.Boolean({
        description: 'Whether the heading must contain the placeholder.',
        examples: [false],
      }),
      required_first: Type.Boolean({
        description: 'Whether every part that is set must begin with the placeholder.',
        examples: [false],
      }),
      only_in_body: Type.Boolean({
        description:
          'Whether the placeholder is refused outside the body. For example, a code in the subject would be visible on lock screens.',
        examples: [false],
      }),
    },
    { description: 'A placeholder of a kind of email.' },
  ),
)

const Changed = Type.Object({
  language,
  source: Type.Enum(['directory', 'account'], {
    description: 'Who set the texts: the organization (`directory`) or the environment’s defaults (`account`).',
  }),
  problems,
})

export const TemplatesReply = named(
  'MailTemplatesReply',
  Type.Object({
    languages: Type.Array(language, { description: 'The languages of emails.', examples: [[...LANGUAGES]] }),
    kinds: Type.Array(
      Type.Object({
        kind,
        placeholders: Type.Array(Placeholder, { description: 'Placeholders that its texts may contain.' }),
        changed: Type.Array(Changed, {
          description: 'The languages whose texts were changed, by the organization, its environment, or both.',
        }),
      }),
      { description: 'Every kind of email whose texts can be changed.' },
    ),
  }),
)
export type TemplatesReply = Static<typeof TemplatesReply>

export const Inherited = named(
  'MailTemplateInherited',
  Type.Object(partFields, {
    description:
      'The texts that are used for parts that are null: the texts of the environment’s defaults, or the standard texts.',
  }),
)

export const TemplateReply = named(
  'MailTemplateReply',
  Type.Object({ template: MailTemplate, inherited: Inherited, problems }),
)
export type TemplateReply = Static<typeof TemplateReply>

export const PreviewReply = named(
  'MailPreview',
  Type.Object(
    {
      subject: Type.String({ description: 'The subject line.', examples: ['Your words for Acme'] }),
      text: Type.String({
        description: 'The plain text part.',
        examples: ['Your sign-in code\n\nEnter these words where you sign in to Acme:\n\namber falcon\n'],
      }),
      html: Type.String({
        description: 'The HTML part of the email, which has no scripts and loads only the logo.',
        examples: ['<!doctype html><html lang="en"><body><h1>Your sign-in code</h1></body></html>'],
      }),
    },
    { description: 'An email as it would be sent, with example values.' },
  ),
)
export type PreviewReply = Static<typeof PreviewReply>
