/**
 * The form in which identifiers of people (`userName`, NameID, `upn`) are compared: A–Z as a–z, all else as it is, since
 * other case rules make two people one (`K`, U+212A). Null with surrounding white space or control characters: matches nothing.
 */
export function foldIdentifier(text: string): string | null {
  if (text === '' || text.trim() !== text || /\p{Cc}/u.test(text)) return null
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** Whether two identifiers are the same one. */
export function isSameIdentifier(a: string, b: string): boolean {
  const folded = foldIdentifier(a)
  return folded !== null && folded === foldIdentifier(b)
}
