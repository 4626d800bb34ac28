import { type TObject, type TProperties, Type } from 'typebox'

/** The schema of a body that also accepts unnamed properties, as protocols with extensions require. */
export function open<P extends TProperties>(schema: TObject<P>): TObject<P> {
  return Type.Object(schema.properties, { additionalProperties: true })
}

/** An object that accepts only named properties, unless it is open. */
export function closed(schema: TObject | undefined, more: TProperties): TObject {
  const { properties = {}, required: _derived, ...options } = schema ?? {}
  return Type.Object({ ...properties, ...more }, { additionalProperties: false, ...options })
}
