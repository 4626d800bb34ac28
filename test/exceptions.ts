import type { SourceFile } from './source.ts'

/** How a comment begins that explains an exception: the rule that it is an exception from. */
const SUBJECTS = [
  'Base URL',
  'Consumes',
  'Database clock',
  'Foreign table',
  'Not a table',
  'Own connection',
  'Process clock',
  'Shared process',
  'Skips locked rows',
  'Table by name',
  'Test option',
] as const
/** How many lines of a file explain exceptions. */
export function countExplanations({ text }: SourceFile): number {
  return text.match(new RegExp(String.raw`^\s*\/\/ (${SUBJECTS.join('|')})s?(,? \w+)*: `, 'gm'))?.length ?? 0
}
