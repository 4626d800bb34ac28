import { type Static, Type } from 'typebox'
import { named, nullable } from '../../../platform/schema.ts'
import type { IdentityRow } from './store.ts'

/** The identity of a user at a provider. */
export const Identity = named(
  'Identity',
  Type.Object(
    {
      id: Type.String({ format: 'uuid' }),
      userId: nullable(
        Type.String({ format: 'uuid' }),
        'The user’s auth account: `sub` of tokens. Null until the first sign-in, password or invitation.',
      ),
      directoryUserId: Type.String({ format: 'uuid' }),
      method: Type.Enum(['sso', 'social'], {
        description: '`sso`: a connection of the organization. `social`: a social provider.',
      }),
      source: Type.String({
        description: 'The connection’s id (`sso`) or the provider’s name (`social`).',
        examples: ['google'],
      }),
      issuer: Type.String({
        description: 'The issuer of the provider: its URL, or its SAML entity ID.',
        examples: ['https://accounts.google.com'],
      }),
      subject: Type.String({ description: 'Id of the person at the provider.', examples: ['110169484474386276334'] }),
      email: nullable(
        Type.String({ examples: ['ada@acme.example'] }),
        'The email address that the provider sent at the last sign-in. Null: none.',
      ),
      createdAt: Type.String({ format: 'date-time' }),
      lastUsedAt: Type.String({ description: 'When the user last signed in with this identity.', format: 'date-time' }),
    },
    { description: 'The link between a user and their account at an identity provider or social provider.' },
  ),
)
export type Identity = Static<typeof Identity>

type Shown = Omit<IdentityRow, 'directory_id' | 'created_at' | 'last_used_at'> & {
  created_at: Date | string
  last_used_at: Date | string
}

/** From a row, or from the same row as JSON, and its user. */
export function toIdentity(row: Shown, user: { auth_account_id: string | null }): Identity {
  return {
    id: row.id,
    userId: user.auth_account_id,
    directoryUserId: row.user_id,
    method: row.method,
    source: row.source,
    issuer: row.issuer,
    subject: row.subject,
    email: row.email,
    createdAt: new Date(row.created_at).toISOString(),
    lastUsedAt: new Date(row.last_used_at).toISOString(),
  }
}

/** The fields of every start of a sign-in at a provider. */
export const startFields = {
  redirectUri: Type.String({
    minLength: 1,
    maxLength: 2048,
    description: 'URL that the browser returns to: an entry of allowed_redirect_uris.',
    examples: ['https://app.example.com/auth'],
  }),
  response_mode: Type.Optional(
    Type.Enum(['query', 'code'], {
      description:
        'What redirectUri receives. `code` (recommended): a code for POST /v1/auth/token/exchange, so that URLs contain no tokens. `query` (default): the tokens.',
      examples: ['code'],
    }),
  ),
}

export const StartReply = named(
  'FederatedStart',
  Type.Object(
    {
      authorization_url: Type.String({
        description: 'The URL to send the browser to.',
        examples: [
          'https://idp.example.com/saml/sso?SAMLRequest=fZHBTsMwDIZfJcq9Tdp1Y0TtpIkdmDQk&RelayState=6qW0h3TqkY2v',
        ],
      }),
      state: Type.String({
        description:
          'Random value that redirectUri receives after the sign-in. Store it in the browser’s session, and compare the two values.',
        examples: ['6qW0h3TqkY2v'],
      }),
    },
    { description: 'Where to send the browser, and the state to keep.' },
  ),
)
