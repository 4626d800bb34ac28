/**
 * The form in which identifiers of people (`userName`, NameID, `upn`) are compared. Only A–Z become a–z, because other
 * case rules would treat two people as one (`K`, U+212A). Null, which matches nothing, for text with surrounding white
 * space or control characters.
 */
export function foldIdentifier(text: string): string | null {
  if (text === '' || text.trim() !== text || /\p{Cc}/u.test(text)) return null
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** Whether two identifiers are the same. */
export function isSameIdentifier(a: string, b: string): boolean {
  const folded = foldIdentifier(a)
  return folded !== null && folded === foldIdentifier(b)
}
