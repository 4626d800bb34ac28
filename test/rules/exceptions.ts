import { type SourceFile, topLevelStatements, withoutComments } from './source.ts'

/** How a comment begins that explains an exception: the rule that it is an exception from. */
export const SUBJECTS = [
  'Base URL',
  'Consumes',
  'Database clock',
  'Foreign table',
  'Not a table',
  'Own connection',
  'Process clock',
  'Shared process',
  'Skips locked rows',
  'Slot',
  'Table by name',
  'Test option',
] as const
type Subject = (typeof SUBJECTS)[number]

/** How many lines of a file explain exceptions. */
export function countExplanations({ text }: SourceFile): number {
  return text.match(new RegExp(String.raw`^\s*\/\/ (${SUBJECTS.join('|')})s?(,? \w+)*: `, 'gm'))?.length ?? 0
}

/**
 * An exception from a rule is explained where it is made, by a comment on lines of its own: `// Process clock: <reason>.`
 * The comment holds for the statement at the top level of the file that it stands in or directly above.
 */
export interface Explanation {
  line: number
  /** What the comment names, such as the tables of `// Foreign tables roles, users: <reason>.` */
  names: string[]
  /** Three words and a full stop at least. */
  hasReason: boolean
}

export interface Place {
  path: string
  line: number
  /** Without the comments that have lines of their own. */
  code: string
  explanations: Explanation[]
}

/** The statements at the top level of files, each with the comments of a subject. */
export function placesOf(files: SourceFile[], subject: Subject): Place[] {
  const comment = new RegExp(String.raw`^\s*\/\/ ${subject}s?((?:,? \w+)*):`, 'gm')
  return files.flatMap((file) =>
    topLevelStatements(file).map(({ line, text }) => ({
      path: file.path,
      line,
      code: withoutComments(text),
      explanations: [...text.matchAll(comment)].map(({ index, 0: beginning, 1: names = '' }) => ({
        line: line + text.slice(0, index + beginning.search(/\S/)).split('\n').length - 1,
        names: names.match(/\w+/g) ?? [],
        hasReason: isReason(text.slice(index + beginning.length)),
      })),
    })),
  )
}

/** Whether a text begins with a sentence, which may go on in further lines of a comment. */
function isReason(text: string): boolean {
  const [sentence] = /^ .*?(?:\n\s*\/\/.*?)*?\.(?=\n|$)/.exec(text) ?? []
  return (sentence?.match(/\w+/g)?.length ?? 0) >= 3
}

/**
 * What is wrong with the exceptions of a subject: a statement of one without a comment, with a comment that gives no
 * reason, or with several, and a comment without an exception. Each message says what to write where; `form` is how the
 * comment begins.
 */
export function unexplained(
  files: SourceFile[],
  subject: Subject,
  exception: RegExp,
  form: string = subject,
): string[] {
  return placesOf(files, subject).flatMap(({ path, line, code, explanations }) => {
    const found = exception.exec(code)
    const [first, second] = explanations
    if (found && !first) {
      const at = line + code.slice(0, found.index + found[0].search(/\S/)).split('\n').length - 1
      return [`${path}:${at}: avoid ${found[0].trim()}, or write above it "// ${form}: <why it is needed here>."`]
    }
    if (first && !found) return [`${path}:${first.line}: nothing here needs this comment, remove it`]
    if (second) return [`${path}:${second.line}: line ${first?.line} explains this already, remove one comment`]
    return first?.hasReason === false ? [`${path}:${first.line}: give the reason in a sentence`] : []
  })
}
