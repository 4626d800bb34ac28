import { Type } from 'typebox'
import type { Route } from '../../../platform/http/route.ts'
import { mailKinds } from '../../../platform/mail/kinds.ts'
import { changeMailSettings, mailSettings } from '../../../platform/mail/settings.ts'
import { named } from '../../../platform/schema.ts'
import { settingsRoutes } from '../../../platform/settings/settings-routes.ts'

const CHANGES = {
  brand_name: 'Acme',
  support_email: 'help@acme.example',
  subjects: { login_otp: '{brand}: your words' },
}
const MERGING = 'null resets a field to the inherited value. Kinds that `subjects` omits are not changed.'

function exampleSettings() {
  const standard = Object.fromEntries(mailKinds().map((kind) => [kind, null]))
  return {
    brand_name: 'Acme',
    logo_url: null,
    support_email: 'help@acme.example',
    accent_color: null,
    from_name: null,
    from_address: null,
    reply_to: null,
    subjects: { ...standard, ...CHANGES.subjects },
  }
}

/** A function, because every feature must have defined its kinds of mail first. */
export function mailRoutes(): Route[] {
  const { schema, patchBody } = mailSettings()
  const Patch = named('MailSettingsPatch', Type.Object(patchBody))
  const settings = exampleSettings()
  return settingsRoutes(mailSettings(), {
    tag: 'Mail',
    noun: 'mail',
    scopes: { read: 'auth.settings.read', write: 'auth.settings.write' },
    get: { path: '/v1/mail/settings', summary: 'Read mail settings' },
    update: { path: '/v1/mail/settings', summary: 'Change mail settings', description: MERGING },
    updateDefaults: {
      path: '/v1/mail/settings/defaults',
      summary: 'Change the default mail settings',
      description: `Requires an org-wide key (not limited to one organization). ${MERGING}`,
    },
    body: Patch,
    reply: named('MailSettingsReply', Type.Object({ settings: schema })),
    examples: {
      body: CHANGES,
      reply: { settings },
      sources: { brand_name: 'directory', logo_url: 'default', support_email: 'account' },
    },
    read: async (work) => ({ settings: await mailSettings().effective(work) }),
    change: async (work, patch) => ({ settings: await changeMailSettings(work, patch) }),
  })
}
