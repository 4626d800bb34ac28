import { type EventDefinition, eventCatalogue } from '../../../platform/events/events.ts'
import { escapeHtml } from '../../../platform/mail/html.ts'
import { renderDocument } from '../../../platform/pages/page-layout.ts'
import { renderProse } from './prose.ts'

const INTRODUCTION =
  'What the service records, as `GET /v1/events` shows it, by resource: `types=user.*` reads all types of one. Types are ' +
  'permanent. The schema of the data of each type is in the API reference, under webhooks.'

/** The catalogue by resource, which is the first word of a type; resources and types in the order of the alphabet. */
function typesByResource(): [resource: string, types: EventDefinition[]][] {
  return [...Map.groupBy(eventCatalogue(), ({ type }) => type.slice(0, type.indexOf('.')))]
}

/** The content of docs/reference/events.md. Every feature must be loaded, so that each type is known. */
export function eventsMarkdown(): string {
  const sections = typesByResource().map(([resource, types]) => {
    const entries = types.map(({ type, help }) => `### ${type}\n\n${help}\n`)
    return `## \`${resource}.*\`\n\n${entries.join('\n')}`
  })
  return `# Events\n\n${INTRODUCTION}\n\n${sections.join('\n')}`
}

const STYLES = `dl{margin:0;background:var(--card);border:1px solid var(--line);border-radius:12px;overflow:hidden}
dl>div{padding:12px 16px}
dl>div+div{border-top:1px solid var(--line)}
dl>div:target{background:var(--mark)}
dt a{text-decoration:none;font-weight:600;overflow-wrap:anywhere}
dd{margin:0;color:var(--soft)}`

/** The same as a page. */
export function renderEventPage(): string {
  const sections = typesByResource().map(
    ([resource, types]) =>
      `<h2><code>${escapeHtml(resource)}.*</code></h2>\n<dl>\n${types.map(renderEntry).join('\n')}\n</dl>`,
  )
  return renderDocument({
    title: 'Events',
    styles: STYLES,
    main: `<h1>Events</h1>\n<p>${renderProse(INTRODUCTION).replace('API reference', '<a href="/docs">API reference</a>')}</p>\n${sections.join('\n')}`,
  })
}

function renderEntry({ type, help }: EventDefinition): string {
  return `<div id="${type}"><dt><a href="#${type}"><code>${type}</code></a></dt><dd>${renderProse(help)}</dd></div>`
}
