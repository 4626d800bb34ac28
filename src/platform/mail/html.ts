const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes text for the content of an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}

/** The `mailto:` URL of an email address (RFC 6068). */
export function mailtoAddress(address: string): string {
  return `mailto:${encodeURIComponent(address).replace('%40', '@')}`
}
