/**
 * A cell of CSV (RFC 4180). One that starts like a formula is prefixed with a quote: spreadsheets would run it (OWASP, CSV
 * injection).
 */
export function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
