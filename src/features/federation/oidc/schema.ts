import { Type } from 'typebox'

const given = (maxLength: number) => Type.Optional(Type.String({ maxLength }))

/** What a provider sends; whatever else it sends is not looked at. */
export const CallbackFields = Type.Object({
  code: given(8192),
  state: given(200),
  iss: given(2048),
  error: given(2048),
})
