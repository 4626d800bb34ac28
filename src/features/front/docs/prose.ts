import { escapeHtml } from '../../../platform/mail/html.ts'

/** A sentence of a catalogue as HTML; what stands between backticks is code, as in the Markdown of the same text. */
export function renderProse(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')
}
