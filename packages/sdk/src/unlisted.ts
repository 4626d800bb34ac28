import type { Event } from './gen/schemas.gen.ts'

/**
 * A code or type that this version of the package does not list, because a newer version of the service has sent it.
 * The value is a string. It is declared as an enum so that the compiler can distinguish it from listed codes, which
 * still narrow.
 */
export declare enum Unlisted {
  text = 'another text',
}

/** An event whose type this version of the package does not list. */
export type UnlistedEvent = Omit<Event, 'type' | 'data'> & {
  /** The type, in the form `resource.past_tense`. */
  type: Unlisted
  /** What happened. */
  data: Record<string, unknown>
}
