import { Type } from 'typebox'
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { settingsRoutes } from '../../../platform/settings/settings-routes.ts'
import { relatedOriginsOf } from './related-origins.ts'
import { SettingsPatch, SettingsReply } from './schema.ts'
import { passkeySettings } from './settings.ts'
import { changeSettings, readSettings } from './settings-change.ts'

const tag = 'Passkeys'

export const relyingPartyRoutes: Route[] = [
  ...settingsRoutes(passkeySettings, {
    tag,
    noun: 'passkeys',
    scopes: { read: 'passkeys.read', write: 'passkeys.write' },
    get: { path: '/v1/auth/passkey/settings', summary: 'Read passkey settings' },
    update: {
      path: '/v1/auth/passkey/settings',
      summary: 'Change passkey settings',
      description:
        'null resets a field to the inherited value. A passkey works only for the rp_id that it was created for. After rp_id changes, existing passkeys cannot sign in until rp_id is changed back.',
    },
    updateDefaults: {
      path: '/v1/auth/passkey/settings/defaults',
      summary: 'Change the default passkey settings',
    },
    body: SettingsPatch,
    reply: SettingsReply,
    examples: {
      body: { rp_id: 'acme.example', origins: ['https://app.acme.example'] },
      reply: {
        settings: {
          rp_id: 'acme.example',
          rp_name: 'Acme',
          origins: ['https://app.acme.example'],
          related_origins: ['https://acme-shop.example'],
          user_verification: 'required',
          require_recent_sign_in_seconds: 0,
          start_limit_per_minute_network: 300,
        },
        relying_party: { id: 'acme.example', name: 'Acme', origins: ['https://app.acme.example'] },
      },
      sources: { rp_id: 'directory', rp_name: 'default', origins: 'directory' },
    },
    read: readSettings,
    change: changeSettings,
  }),
  defineRoute({
    method: 'GET',
    path: '/.well-known/webauthn',
    operation: 'passkeys.listRelatedOrigins',
    auth: 'public',
    tag,
    summary: 'List related origins',
    description:
      'Lists the origins of other sites that may use the passkeys of this host. Browsers request them from the host of the rp_id (WebAuthn Level 3).',
    reply: Type.Object({
      origins: Type.Array(Type.String({ examples: ['https://acme-shop.example'] }), {
        description: 'Web origins that may use the passkeys of this domain (WebAuthn Level 3 §5.11).',
      }),
    }),
    handle: async ({ platform, host, headers }) => {
      headers['cache-control'] = 'public, max-age=300'
      return { origins: await relatedOriginsOf(platform, host()) }
    },
  }),
]
