import { type Static, Type } from 'typebox'
import { Email } from '../../../platform/mail/address.ts'
import { named, nullable } from '../../../platform/schema.ts'
import type { SentMagicLink } from './magic-link/magic-link.ts'

export const TokenHash = named(
  'TokenHash',
  Type.String({
    minLength: 1,
    maxLength: 200,
    description: '`token_hash` of the mailed link.',
    examples: ['02wqXJ8zLr5TcYb1NfKd7h9mQsVgPeAo3RuIxWyHt6CkZjEn4SGlBvMaFpDqOi0U'],
  }),
)

/** The body of the routes that redeem a mailed link. */
export const PresentedLinkBody = named('PresentedLink', Type.Object({ email: Email, token_hash: TokenHash }))

export const Delivery = {
  redirectTo: Type.Optional(
    named(
      'RedirectTo',
      Type.String({
        maxLength: 2048,
        description: 'URL that the link opens: an entry of allowed_redirect_uris. Default: the hosted page.',
      }),
    ),
  ),
  deliver: Type.Optional(
    named(
      'Deliver',
      Type.Boolean({
        description: 'false: no email is sent, and the response contains the link. Requires the scope links.issue.',
      }),
    ),
  ),
}

export const LinkReply = named(
  'SentLink',
  Type.Object(
    {
      delivery_hint: Type.String({
        description: 'The masked email address that the email is sent to.',
        examples: ['a•••@acme.example'],
      }),
      url: Type.Optional(
        Type.String({
          description: 'The link itself. Only with `deliver: false`.',
          examples: [
            'https://app.example.com/auth?type=magiclink&email=ada%40acme.example&token_hash=02wqXJ8zLr5TcYb1NfKd7h9mQsVgPeAo3RuIxWyHt6CkZjEn4SGlBvMaFpDqOi0U',
          ],
        }),
      ),
    },
    {
      description: 'The address that the link was mailed to, or the link itself. The same for unknown addresses.',
      examples: [{ delivery_hint: 'a•••@acme.example' }],
    },
  ),
)

/** The response for a link that was mailed together with a code. */
export const SentMagicLinkReply = named(
  'SentMagicLink',
  Type.Object(
    {
      ...LinkReply.properties,
      expires_at: Type.String({ format: 'date-time' }),
      otp_id: nullable(
        Type.String({ format: 'uuid' }),
        'Id of the code in the email. Null if the email contains no code.',
      ),
    },
    {
      examples: [
        {
          delivery_hint: 'a•••@acme.example',
          expires_at: '2026-11-22T09:40:00.000Z',
          otp_id: '0198b6f2-4503-7b31-88cc-4c599ba00e1e',
        },
      ],
    },
  ),
)

export function toSentMagicLink(sent: SentMagicLink): Static<typeof SentMagicLinkReply> {
  return {
    delivery_hint: sent.deliveryHint,
    expires_at: sent.expiresAt.toISOString(),
    otp_id: sent.otpId,
    ...(sent.url === null ? {} : { url: sent.url }),
  }
}
