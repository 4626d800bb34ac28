/** The value at a dotted path of parsed JSON; undefined when there is none. */
export function readField(value: unknown, path: string): unknown {
  let at = value
  for (const name of path.split('.')) {
    at = readMember(at, name)
  }
  return at
}

/** A member of a parsed object; undefined when it is not an object or has no such member. */
export function readMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

/** The text at a dotted path of a JSON document. Throws, naming the path and the document, when it is not there. */
export function readText(json: string, path: string): string {
  const value = readField(JSON.parse(json), path)
  if (typeof value !== 'string') throw new Error(`No ${path} in ${json.slice(0, 300)}`)
  return value
}
