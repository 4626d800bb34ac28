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

/** What a directory has set of one kind in one language. */
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

/** What examples show. */
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
      code: Type.String({ description: 'What is wrong with it.', examples: ['placeholder_missing'] }),
      message: Type.String({ description: 'The same in words.', examples: ['body must contain {code}'] }),
    },
    { description: 'Why texts that were stored are not used.' },
  ),
)

const problems = Type.Array(Problem, {
  description:
    'Not empty if the texts were stored by another release and break a rule of this one: emails then have the inherited texts.',
  examples: [[]],
})

const Placeholder = named(
  'MailPlaceholder',
  Type.Object(
    {
      name: Type.String({ description: 'Its name, written in braces in a text.', examples: ['expires_in'] }),
      description: Type.String({ description: 'What it stands for.', examples: ['How long the code works.'] }),
      example: nullable(
        Type.String({ examples: ['5 minutes'] }),
        'Its value in a preview. Null: paragraphs, for `standard` alone.',
      ),
      required: Type.Boolean({ description: 'Whether a body must contain it.', examples: [false] }),
      required_in_heading: Type.Boolean({ description: 'Whether a heading must contain it.', examples: [false] }),
      required_first: Type.Boolean({
        description: 'Whether every part that is set must begin with it.',
        examples: [false],
      }),
      only_in_body: Type.Boolean({
        description: 'Whether it is refused outside the body, such as a code, which lock screens would show.',
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
        placeholders: Type.Array(Placeholder, { description: 'What its texts may contain.' }),
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
    description: 'The texts in place of those that are null: of the environment’s defaults, or else the standard ones.',
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
        description: 'The part in plain text.',
        examples: ['Your sign-in code\n\nEnter these words where you sign in to Acme:\n\namber falcon\n'],
      }),
      html: Type.String({
        description: 'The part in HTML. It has no scripts, and loads nothing but the logo.',
        examples: ['<!doctype html><html lang="en"><body><h1>Your sign-in code</h1></body></html>'],
      }),
    },
    { description: 'An email as it would be sent, with example values.' },
  ),
)
export type PreviewReply = Static<typeof PreviewReply>
