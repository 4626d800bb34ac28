const WIDTH = 120

/** JSON formatted for people: whatever fits on one line stays on one line. */
export function formatJson(value: unknown, indent = ''): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inner = `${indent} `
  const isList = Array.isArray(value)
  const parts: [string, unknown][] = isList
    ? value.map((item) => ['', item])
    : Object.entries(value)
        .filter(([, item]) => item !== undefined)
        .map(([key, item]) => [`${JSON.stringify(key)}: `, item])
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  if (parts.length === 0) return open + close
  const short = JSON.stringify(value)
  if (short.length < WIDTH - indent.length) {
    const line = `${open}${parts.map(([key, item]) => key + formatJson(item, inner)).join(', ')}${close}`
    if (!line.includes('\n') && line.length <= WIDTH - indent.length) return line
  }
  return `${open}\n${parts.map(([key, item]) => inner + key + formatJson(item, inner)).join(',\n')}\n${indent}${close}`
}
