import type { Json, JsonObject } from './openapi-schemas.ts'

/** The parts of one kind in a document, of which those that recur appear once, as components. */
export interface Recurring {
  /** Notes a part, and the name that it gets if it recurs. Returns it. */
  note(name: string, part: JsonObject): JsonObject
  /** The part, or a reference to it if it was noted more than once. */
  refer(part: Json | undefined): Json | undefined
  /** The section of `components`, after all references were made. */
  components(): Record<string, JsonObject>
}

/** An empty collection for a section of `components`. */
export function collectRecurring(section: string): Recurring {
  const noted = new Map<string, { name: string | null; part: JsonObject; count: number }>()
  const taken = new Set<string>()
  return {
    note(name, part) {
      const text = JSON.stringify(part)
      const known = noted.get(text)
      // The first part to take a name keeps it; one that would need another stays where it is.
      if (known) known.count += 1
      else noted.set(text, { name: taken.has(name) ? null : name, part, count: 1 })
      taken.add(name)
      return part
    },
    refer(part) {
      const known = noted.get(JSON.stringify(part))
      return known?.name && known.count > 1 ? { $ref: `#/components/${section}/${known.name}` } : part
    },
    components() {
      const recurring = [...noted.values()].flatMap(({ name, part, count }) =>
        name !== null && count > 1 ? [[name, part] as const] : [],
      )
      return Object.fromEntries(recurring.sort(([a], [b]) => (a < b ? -1 : 1)))
    },
  }
}
