/** What of RFC 7644 table 9 the language itself finds. `invalidSyntax` and all others: status 400. */
export type ScimLanguageReason =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidValue'
  | 'invalidSyntax'
  | 'noTarget'
  | 'mutability'
  | 'tooMany'

/** A filter, path, value or PATCH that is not accepted. The message says what was expected, for administrators. */
export class ScimLanguageError extends Error {
  readonly scimType: ScimLanguageReason
  constructor(scimType: ScimLanguageReason, detail: string) {
    super(detail)
    this.scimType = scimType
  }
}

/** What a message quotes of what was sent. */
export function quoted(text: string): string {
  const short = text.length > 80 ? `${text.slice(0, 80)}…` : text
  return JSON.stringify(short.toWellFormed())
}
