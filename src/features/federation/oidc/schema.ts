import { Type } from 'typebox'
import { described } from '../../../platform/schema.ts'

const given = (maxLength: number) => Type.Optional(Type.String({ maxLength }))

/** The parameters from a provider. Any others are ignored. */
export const CallbackFields = Type.Object({
  code: described(given(8192), 'Authorization code of the provider. Absent with `error`.'),
  state: described(given(200), '`state` of the sign-in.'),
  iss: described(given(2048), 'The issuer of the response (RFC 9207), if the provider sends it.'),
  error: described(given(2048), 'Error code of the provider (RFC 6749 §4.1.2.1), such as `access_denied`.'),
})
