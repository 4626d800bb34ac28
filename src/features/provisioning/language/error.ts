/** The errors of RFC 7644 table 9 that reading the language itself finds. All have status 400. */
export type ScimLanguageReason =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidValue'
  | 'invalidSyntax'
  | 'noTarget'
  | 'mutability'
  | 'tooMany'

/** A filter, path, value or PATCH that is not accepted. The message tells administrators what was expected. */
export class ScimLanguageError extends Error {
  readonly scimType: ScimLanguageReason
  constructor(scimType: ScimLanguageReason, detail: string) {
    super(detail)
    this.scimType = scimType
  }
}

/** The form in which a message quotes what was sent. */
export function quoted(text: string): string {
  const short = text.length > 80 ? `${text.slice(0, 80)}…` : text
  return JSON.stringify(short.toWellFormed())
}
