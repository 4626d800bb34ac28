import type { Json, JsonObject } from './openapi-schemas.ts'

/** Parts of one kind in a document. A part that recurs appears once, as a component. */
export interface Recurring {
  /** Counts a part, with the name that it gets if it recurs. Returns the part. */
  note(name: string, part: JsonObject): JsonObject
  /** Returns the part, or a reference to it if it was counted more than once. */
  refer(part: Json | undefined): Json | undefined
  /** The section of `components`. Call it after all references were made. */
  components(): Record<string, JsonObject>
}

/** Makes an empty collection for a section of `components`. */
export function collectRecurring(section: string): Recurring {
  const noted = new Map<string, { name: string; part: JsonObject; count: number }>()
  let named: Map<string, string> | null = null

  /** The names of recurring parts. The first part with a name gets it. A part whose name is taken is not moved. */
  function names(): Map<string, string> {
    if (named) return named
    const taken = new Map<string, string>()
    for (const [text, { name, count }] of noted) if (count > 1 && !taken.has(name)) taken.set(name, text)
    named = new Map([...taken].map(([name, text]) => [text, name]))
    return named
  }

  return {
    note(name, part) {
      const text = JSON.stringify(part)
      const known = noted.get(text)
      if (known) known.count += 1
      else noted.set(text, { name, part, count: 1 })
      named = null
      return part
    },
    refer(part) {
      const name = names().get(JSON.stringify(part))
      return name === undefined ? part : { $ref: `#/components/${section}/${name}` }
    },
    components() {
      const recurring = [...names()].flatMap(([text, name]) => {
        const part = noted.get(text)?.part
        return part ? [[name, part] as const] : []
      })
      return Object.fromEntries(recurring.sort(([a], [b]) => (a < b ? -1 : 1)))
    },
  }
}
