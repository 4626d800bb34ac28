import { Type } from 'typebox'
import { defineRoute, type Route } from '../../platform/http/route.ts'
import { changeMailSettings, MailSettings, mailSettings } from '../../platform/mail/settings.ts'
import { accountDefaults } from '../../platform/settings.ts'

const tag = 'Mail'
const Sources = Type.Record(Type.String(), Type.Enum(['default', 'account', 'directory']))
const MERGING = 'null returns a field to the inherited value. Of subjects, those that are named change.'

export const mailRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/mail/settings',
    scope: 'auth.settings.read',
    tag,
    summary: 'Read the brand, sender and subjects of mails',
    description: 'Without subOrgId an org-wide key reads the defaults that its environment’s organizations inherit.',
    query: Type.Object({ effective: Type.Optional(Type.Boolean({ description: 'Adds the source of each value.' })) }),
    reply: Type.Object({ settings: MailSettings, sources: Type.Optional(Sources) }),
    handle: async (work, { query }) => ({
      settings: await mailSettings.effective(work),
      ...(query.effective ? { sources: await mailSettings.sources(work) } : {}),
    }),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/v1/mail/settings',
    scope: 'auth.settings.write',
    tag,
    summary: 'Change the brand, sender and subjects of mails',
    description: MERGING,
    body: Type.Object(mailSettings.patchBody),
    reply: Type.Object({ settings: MailSettings }),
    event: 'mail.settings.updated',
    handle: async (work, { body }) => ({ settings: await changeMailSettings(work, body) }),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/v1/mail/settings/defaults',
    scope: 'auth.settings.write',
    directory: 'account',
    tag,
    summary: 'Change what the environment’s organizations inherit of brand, sender and subjects',
    description: `For org-wide keys. ${MERGING}`,
    body: Type.Object(mailSettings.patchBody),
    reply: Type.Object({ settings: MailSettings }),
    event: 'mail.settings.updated',
    handle: async (work, { body }) => {
      const { directory } = accountDefaults(work.directory)
      return { settings: await changeMailSettings({ ...work, directory }, body) }
    },
  }),
]
