import { Type } from 'typebox'
import { named } from '../../../platform/schema.ts'
import { PasskeySettings, passkeySettings } from './settings.ts'

const Origin = Type.String({ examples: ['https://app.acme.example'] })
const InForce = named(
  'RelyingParty',
  Type.Object(
    {
      id: Type.String({ description: 'Domain that passkeys are bound to (RP ID).', examples: ['acme.example'] }),
      name: Type.String({ description: 'Name that devices show when a passkey is created.', examples: ['Acme'] }),
      origins: Type.Array(Origin, { description: 'Web origins on which the passkeys work.' }),
    },
    { description: 'The relying party that results from the settings.' },
  ),
)
export const SettingsPatch = named('PasskeySettingsPatch', Type.Object(passkeySettings.patchBody))
export const SettingsReply = named(
  'PasskeySettingsReply',
  Type.Object({ settings: PasskeySettings, relying_party: InForce }),
)
