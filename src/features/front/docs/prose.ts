import { escapeHtml } from '../../../platform/mail/html.ts'

/** Renders a sentence of a catalogue as HTML. Text between backticks is code, as in Markdown. */
export function renderProse(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')
}
