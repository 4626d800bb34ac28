import { type EventDefinition, eventCatalogue } from '../../../platform/events/events.ts'
import { listOf, type Part, partOf, schemaOf } from '../../../platform/openapi/document-parts.ts'
import { type Html, html, url } from '../../../platform/pages/html.ts'
import { objectOf, renderFields } from './fields.ts'
import { renderProse } from './prose.ts'

const INTRODUCTION =
  'The service records these events, grouped by resource. `GET /v1/events` returns them; `types=user.*` selects all events of the resource `user`. Event types are never renamed or removed.'

/** The catalogue by resource, which is the first word of a type. Resources and types are in alphabetical order. */
function typesByResource(): [resource: string, types: EventDefinition[]][] {
  return [...Map.groupBy(eventCatalogue(), ({ type }) => type.slice(0, type.indexOf('.')))]
}

/** The content of docs/reference/events.md. All features must be loaded, since each defines its types. */
export function eventsMarkdown(): string {
  const sections = typesByResource().map(([resource, types]) => {
    const entries = types.map(({ type, help }) => `### ${type}\n\n${help}\n`)
    return `## \`${resource}.*\`\n\n${entries.join('\n')}`
  })
  return `# Events\n\n${INTRODUCTION}\n\n${sections.join('\n')}`
}

/** The catalogue as a page. It also has the fields of the data, from the schemas in the document. */
export function renderEvents(document: Part): Html {
  const dataByType = new Map(listOf(schemaOf(document, 'AnyEvent')['oneOf']).flatMap((one) => dataOf(document, one)))
  const entryOf = ({ type, help }: EventDefinition) => {
    const fields = renderFields(document, dataByType.get(type))
    const data = fields && html`<details><summary>Fields of <code>data</code></summary>${fields}</details>`
    return html`<div id="${type}"><dt><a href="${url(`#${type}`)}"><code>${type}</code></a></dt><dd>${renderProse(help)}${data}</dd></div>\n`
  }
  const sections = typesByResource().map(
    ([resource, types]) => html`<h2><code>${resource}.*</code></h2>\n<dl>\n${types.map(entryOf)}</dl>\n`,
  )
  return html`<p>${renderProse(INTRODUCTION)}</p>\n${sections}`
}

/** Lists, for each type that an event schema covers, the schema of its data. */
function dataOf(document: Part, schema: unknown): [type: string, data: unknown][] {
  const { type, data } = partOf(objectOf(document, schema)['properties'])
  const { const: only, enum: several } = partOf(type)
  return (only === undefined ? listOf(several) : [only]).map((one) => [String(one), data])
}
