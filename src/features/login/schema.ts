import { Type } from 'typebox'

export const Email = Type.String({ minLength: 3, maxLength: 320, description: 'Compared without regard to case.' })

export const TokenHash = Type.String({ minLength: 1, maxLength: 200, description: '`token_hash` of the mailed link.' })

export const Delivery = {
  redirectTo: Type.Optional(
    Type.String({
      maxLength: 2048,
      description: 'Where the link leads: an entry of allowed_redirect_uris. Default: the page of the service.',
    }),
  ),
  deliver: Type.Optional(
    Type.Boolean({ description: 'false: no mail; the answer carries the link. Needs the scope links.issue.' }),
  ),
}

export const LinkReply = Type.Object({
  delivery_hint: Type.String({ description: 'The address, masked.' }),
  url: Type.Optional(Type.String({ description: 'Only with deliver false.' })),
})
