const WIDTH = 116

/** A JSDoc comment with a line end, or nothing for an empty text. */
export function docComment(...texts: unknown[]): string {
  const paragraphs = texts.filter((text): text is string => typeof text === 'string' && text !== '')
  const lines = paragraphs.flatMap((text, at) => [...(at > 0 ? [''] : []), ...text.split('\n').flatMap(wrapped)])
  const safe = lines.map((line) => line.replaceAll('*/', '*\\/'))
  const [only = ''] = safe
  if (safe.length === 0) return ''
  return safe.length === 1 ? `/** ${only} */\n` : `/**\n${safe.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`
}

/** The words of a line in lines of a readable width. A line of code stays whole. */
function wrapped(text: string): string[] {
  if (/^(\s|```|\|)/.test(text)) return [text]
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line !== '' && line.length + word.length + 1 > WIDTH) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines
}
