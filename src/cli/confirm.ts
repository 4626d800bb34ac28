import { createInterface } from 'node:readline/promises'
import { CliError, note } from './print.ts'

/**
 * Shows what a command is about to do and asks the user to type a word. Throws CliError with the text `refused` if
 * something else is typed, and if there is no terminal.
 */
export async function confirm({
  lines,
  word,
  refused,
}: {
  lines: string[]
  word: string
  refused: string
}): Promise<void> {
  if (process.stdin.isTTY !== true) throw new CliError('There is no terminal to ask: add --yes.', { isUsage: true })
  note(lines.join('\n'))
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const ended = new AbortController()
    // Ctrl-C, or Ctrl-D and the end of the input.
    terminal.on('SIGINT', () => ended.abort()).on('close', () => ended.abort())
    const asked = terminal.question(`Type "${word}" to continue: `, { signal: ended.signal })
    const answer = await asked.catch(() => '')
    if (answer.trim() !== word) throw new CliError(refused)
  } finally {
    terminal.close()
  }
}
