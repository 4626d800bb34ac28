const WIDTH = 120
/** The values of these keys are read as a whole. */
const FILLING = new Set(['example'])

/** Formats JSON for people. Whatever fits stays on one line, and lists, examples and headers fill their lines. */
export function formatJson(value: unknown, indent = '', fills = false): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inner = `${indent} `
  const isList = Array.isArray(value)
  const entries: [string, unknown][] = isList ? value.map((item) => ['', item]) : Object.entries(value)
  const parts = entries
    .filter(([, item]) => item !== undefined)
    .map(
      ([key, item]) => (isList ? '' : `${JSON.stringify(key)}: `) + formatJson(item, inner, fills || FILLING.has(key)),
    )
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  const line = `${open}${parts.join(', ')}${close}`
  if (parts.length === 0 || (!line.includes('\n') && line.length <= WIDTH - indent.length)) return line
  const lines = fills || isList ? fill(parts, WIDTH - inner.length) : parts
  return `${open}\n${lines.map((text) => inner + text).join(',\n')}\n${indent}${close}`
}

/** Puts as many parts on a line as fit. */
function fill(parts: string[], width: number): string[] {
  const lines: string[] = []
  for (const part of parts) {
    const joined = `${lines.at(-1)}, ${part}`
    if (lines.length > 0 && joined.length < width && !joined.includes('\n')) lines[lines.length - 1] = joined
    else lines.push(part)
  }
  return lines
}
