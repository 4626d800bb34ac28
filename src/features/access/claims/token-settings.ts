import { type Static, Type } from 'typebox'
import { httpErrors } from '../../../platform/errors.ts'
import { nullable } from '../../../platform/schema.ts'
import { defineSettingsPart } from '../../../platform/settings/settings.ts'
import { isClaimTaken } from './claim-names.ts'
import { accountOfTeam } from './team-audience.ts'

const Audience = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^[!-~]+$',
  examples: ['https://api.acme.example'],
})
const Source = Type.String({
  maxLength: 120,
  pattern: '^(user|organization)\\.(externalId|metadata\\..+)$',
  'x-form': 'user.externalId, organization.externalId, or user.metadata. or organization.metadata. and a key',
})

/** The audience and the custom claims of access tokens. */
export const claimSettings = defineSettingsPart(
  'auth_settings',
  Type.Object({
    audience: nullable(
      Type.Union([Audience, Type.Array(Audience, { minItems: 1, maxItems: 10, uniqueItems: true })]),
      '`aud` of access tokens. Null: the id of the account.',
    ),
    token_claims: Type.Record(Type.String(), Source, {
      propertyNames: { pattern: '^[A-Za-z][A-Za-z0-9_.:/-]{0,99}$' },
      maxProperties: 20,
      description:
        'Additional claims of access tokens: the name of each claim and its source, which is `user.externalId`, `user.metadata.{key}`, `organization.externalId` or `organization.metadata.{key}`. Claims without a value are omitted.',
    }),
  }),
  { audience: null, token_claims: {} },
  (_, patch) => {
    for (const name of Object.keys(Object(patch['token_claims'])))
      if (isClaimTaken(name))
        throw httpErrors.invalidRequest({
          detail: `token_claims cannot contain ${name}, because this claim has a fixed meaning.`,
        })
    const audiences: unknown[] = [patch['audience']].flat()
    if (audiences.some((audience) => accountOfTeam(audience) !== null))
      throw httpErrors.invalidRequest({ detail: 'audience cannot be the audience of a team.' })
  },
)
export type ClaimSettings = Static<typeof claimSettings.schema>
