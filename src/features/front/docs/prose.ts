import { type Html, html } from '../../../platform/pages/html.ts'

/** Renders a sentence of a catalogue as HTML. Text between backticks is code, as in Markdown. */
export function renderProse(text: string): Html {
  const parts = text.split(/`([^`]+)`/)
  return html`${parts.map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`
}
