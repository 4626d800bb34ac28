import type { Event } from './gen/schemas.gen.ts'

/**
 * A code or a type that this version of the package does not list: a newer version of the service has sent it. It is a string. Its
 * declaration as an enum lets the compiler tell it from those that are listed, so that they still narrow.
 */
export declare enum Unlisted {
  text = 'another text',
}

/** An event whose type this version of the package does not list. */
export type UnlistedEvent = Omit<Event, 'type' | 'data'> & {
  /** `resource.past_tense` */
  type: Unlisted
  /** What happened. */
  data: Record<string, unknown>
}
