import { type Static, Type } from 'typebox'
import { mailSettings } from '../../../platform/mail/settings.ts'
import { named, nullable } from '../../../platform/schema.ts'
import { Domain, DomainError } from '../../directory/domains/domains.ts'
import { STEP_IDS } from './checklist.ts'

const Branding = named(
  'Branding',
  Type.Object(
    {
      brand_name: nullable(Type.String({ examples: ['Acme'] })),
      logo_url: nullable(Type.String({ examples: ['https://acme.com/logo.png'] })),
      support_email: nullable(Type.String({ examples: ['help@acme.com'] })),
    },
    { description: 'What mails and hosted pages show. null: the deployment’s.' },
  ),
)

const SetupStep = named(
  'SetupStep',
  Type.Object({
    id: Type.Enum([...STEP_IDS]),
    label: Type.String({ examples: ['Set your name, logo and support address'] }),
    done: Type.Boolean(),
  }),
)
export type SetupStep = Static<typeof SetupStep>

export const Overview = named(
  'AdminPortalOverview',
  Type.Object({ branding: Branding, domains: Type.Array(Domain), setup_checklist: Type.Array(SetupStep) }),
)
export type Overview = Static<typeof Overview>

export const OverviewReply = named('AdminPortalReply', Type.Object({ overview: Overview }))

/** A function, because the settings of mails are complete only once every feature has defined its kinds. */
export function brandingPatch() {
  const { brand_name = Type.Never(), logo_url = Type.Never(), support_email = Type.Never() } = mailSettings().patchBody
  return named('BrandingPatch', Type.Object({ brand_name, logo_url, support_email }))
}

export const DomainAction = named(
  'DomainAction',
  Type.Object({
    action: Type.Enum(['add_domain', 'verify_domain', 'remove_domain'], { examples: ['add_domain'] }),
    domain: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 253,
        description: 'To add: a domain name such as acme.com, also with letters of other languages.',
        examples: ['acme.com'],
      }),
    ),
    domainId: Type.Optional(Type.String({ description: 'To verify or to remove.' })),
  }),
)
export type DomainAction = Static<typeof DomainAction>

export const DomainActionReply = named(
  'DomainActionReply',
  Type.Object({
    success: Type.Boolean({ description: 'false: the check did not find the record, and error says why.' }),
    error: Object.assign(nullable(DomainError), { examples: [null] }),
    domain: nullable(Domain, 'null once it is removed.'),
    overview: Overview,
  }),
)
