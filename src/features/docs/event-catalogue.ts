import { eventCatalogue } from '../../platform/events.ts'
import { renderDocument } from '../../platform/http/page-layout.ts'
import { escapeHtml } from '../../platform/mail/html.ts'

const INTRODUCTION =
  'What the service records, as GET /v1/events shows it. Types are permanent. The schema of the data of each type is ' +
  'in the API reference, under webhooks.'

/** The content of docs/events.md. Every feature must be loaded, so that each type is known. */
export function eventsMarkdown(): string {
  const types = eventCatalogue().map(({ type, help }) => `## ${type}\n\n${help}\n`)
  return `# Events\n\n${INTRODUCTION}\n\n${types.join('\n')}`
}

const STYLES = `dl{margin:0;background:var(--card);border:1px solid var(--line);border-radius:12px;overflow:hidden}
dl>div{padding:12px 16px}
dl>div+div{border-top:1px solid var(--line)}
dl>div:target{background:var(--mark)}
dt a{text-decoration:none;font-weight:600;overflow-wrap:anywhere}
dd{margin:0;color:var(--soft)}`

/** The same as a page. */
export function renderEventPage(): string {
  const entries = eventCatalogue().map(
    ({ type, help }) =>
      `<div id="${type}"><dt><a href="#${type}"><code>${type}</code></a></dt><dd>${escapeHtml(help)}</dd></div>`,
  )
  return renderDocument({
    title: 'Events',
    styles: STYLES,
    main: `<h1>Events</h1>\n<p>${escapeHtml(INTRODUCTION)} <a href="/docs">API reference</a></p>\n<dl>\n${entries.join('\n')}\n</dl>`,
  })
}
