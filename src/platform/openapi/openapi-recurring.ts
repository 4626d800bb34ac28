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
  const noted = new Map<string, { name: string; part: JsonObject; count: number }>()
  let named: Map<string, string> | null = null

  /** Of those that recur. The first to want a name gets it; one that would need another stays where it is. */
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
