/**
 * A CSV cell (RFC 4180). A text that starts like a formula gets a quote as prefix, because spreadsheets would run it
 * (OWASP, CSV injection).
 */
export function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
