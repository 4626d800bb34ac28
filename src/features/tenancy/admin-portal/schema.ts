import { type Static, Type } from 'typebox'
import { mailSettings } from '../../../platform/mail/settings.ts'
import { named, nullable } from '../../../platform/schema.ts'
import { Domain, DomainError } from '../../directory/domains/domains.ts'
import { STEP_IDS } from './checklist.ts'

const Branding = named(
  'Branding',
  Type.Object(
    {
      brand_name: nullable(
        Type.String({ examples: ['Acme'] }),
        'The name of your brand, shown at the top of emails and pages and as the name of the sender.',
      ),
      logo_url: nullable(
        Type.String({ examples: ['https://acme.com/logo.png'] }),
        'The https URL of an image that is shown instead of the brand name.',
      ),
      support_email: nullable(
        Type.String({ examples: ['help@acme.com'] }),
        'The email address for help, shown at the end of emails and pages.',
      ),
    },
    { description: 'Branding of emails and hosted pages. Null: the branding of the deployment.' },
  ),
)

const SetupStep = named(
  'SetupStep',
  Type.Object(
    {
      id: Type.Enum([...STEP_IDS], { description: 'The step.' }),
      label: Type.String({
        description: 'What to do, in English.',
        examples: ['Set your name, logo and support address'],
      }),
      done: Type.Boolean({ description: 'Whether the step is completed.' }),
    },
    { description: 'A step of the checklist.' },
  ),
)
export type SetupStep = Static<typeof SetupStep>

export const Overview = named(
  'AdminPortalOverview',
  Type.Object(
    {
      branding: Branding,
      domains: Type.Array(Domain, { description: 'Domains of the organization in this environment.' }),
      setup_checklist: Type.Array(SetupStep, { description: 'Completed and open steps, in a recommended order.' }),
    },
    { description: 'The set-up of an organization.' },
  ),
)
export type Overview = Static<typeof Overview>

export const OverviewReply = named('AdminPortalReply', Type.Object({ overview: Overview }))

/** A function, because the mail settings are complete only after every feature has defined its kinds of mails. */
export function brandingPatch() {
  const { brand_name = Type.Never(), logo_url = Type.Never(), support_email = Type.Never() } = mailSettings().patchBody
  return named('BrandingPatch', Type.Object({ brand_name, logo_url, support_email }))
}

const domainName = Type.String({
  minLength: 1,
  maxLength: 253,
  description: 'Domain name, such as acme.com. May be internationalized.',
  examples: ['acme.com'],
})

export const DomainParams = Type.Object({ domainId: Type.String({ description: 'Id of a domain.' }) })
export const DomainCreate = named('DomainCreate', Type.Object({ domain: domainName }))
export const DomainReply = named('DomainReply', Type.Object({ domain: Domain }))
export const DomainListReply = named(
  'DomainListReply',
  Type.Object({ domains: Type.Array(Domain, { description: 'The domains, the oldest first.' }) }),
)

const checked = {
  success: Type.Boolean({ description: '`false` if the check did not find the TXT record. `error` says why.' }),
  error: Object.assign(nullable(DomainError), { examples: [null] }),
}

export const DomainCheckReply = named('DomainCheckReply', Type.Object({ ...checked, domain: Domain }))

export const DomainAction = named(
  'DomainAction',
  Type.Object({
    action: Type.Enum(['add_domain', 'verify_domain', 'remove_domain'], {
      description: 'The action. `add_domain` takes `domain`, the others take `domainId`.',
      examples: ['add_domain'],
    }),
    domain: Type.Optional(
      Type.String({
        ...domainName,
        description: 'Domain name to add, such as acme.com. May be internationalized.',
      }),
    ),
    domainId: Type.Optional(Type.String({ description: 'Domain to verify or remove: `id` in the overview.' })),
  }),
)
export type DomainAction = Static<typeof DomainAction>

export const DomainActionReply = named(
  'DomainActionReply',
  Type.Object({
    ...checked,
    domain: nullable(Domain, 'The domain after the action. Null: the domain was removed.'),
    overview: Overview,
  }),
)
