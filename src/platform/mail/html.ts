const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Text made safe for the content of an element and for a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}

/** The `mailto:` address of a mail address (RFC 6068), safe for a quoted attribute. */
export function mailtoUrl(address: string): string {
  return escapeHtml(`mailto:${encodeURIComponent(address).replace('%40', '@')}`)
}
