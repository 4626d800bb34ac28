import { type Operation, operationsOf } from '../../../platform/openapi/document-operations.ts'
import { listOf, type Part, partOf } from '../../../platform/openapi/document-parts.ts'
import { formatJson } from '../../../platform/openapi/openapi-text.ts'
import { type Html, html, url as link } from '../../../platform/pages/html.ts'
import { renderFields, renderMarkdown } from './fields.ts'
import { type MenuGroup, renderCode, renderContents } from './site.ts'

/** A tag of the contract with its operations. Each tag has a page. */
export interface ReferenceTag {
  title: string
  description: string
  path: string
  document: Part
  operations: Operation[]
}

/** The tags of the documents, in their order. */
export function referenceTags(...documents: Part[]): ReferenceTag[] {
  return documents.flatMap((document) => {
    const byTag = Map.groupBy(operationsOf(document), ({ tag }) => tag)
    const isScim = Object.hasOwn(partOf(partOf(document['components'])['securitySchemes']), 'scimToken')
    return listOf(document['tags'])
      .map(partOf)
      .filter(({ name }) => byTag.has(String(name)))
      .map(({ name, description }) => ({
        title: isScim ? 'SCIM endpoint' : String(name),
        description: String(description ?? ''),
        path: `/docs/reference/${isScim ? 'scim-endpoint' : slugOf(String(name))}`,
        document,
        operations: byTag.get(String(name)) ?? [],
      }))
  })
}

const slugOf = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')

export const referenceMenu = (tags: ReferenceTag[]): MenuGroup[] => [
  { title: 'API reference', entries: tags.map(({ title, path }) => ({ title, path })) },
]

/** Renders the first page of the reference: general rules for requests, and a list of all operations. */
export function renderOverview(document: Part, tags: ReferenceTag[]): Html {
  const { description } = partOf(document['info'])
  const lists = tags.map(({ title, path, description: about, operations }) => {
    const items = operations.map(
      ({ id, method, path: route, summary }) =>
        html`<li><a href="${link(`${path}#${id}`)}">${summary}</a> <code>${method} ${route}</code></li>\n`,
    )
    return html`<h2><a href="${link(path)}">${title}</a></h2>\n${renderMarkdown(about)}<ul>\n${items}</ul>\n`
  })
  return html`${renderMarkdown(String(description))}<p>The same as OpenAPI 3.1: <a href="/v1/openapi.json">the API</a>, <a href="/v1/scim/openapi.json">the SCIM endpoint</a>. <a href="/docs/guides">The guides</a> explain how the parts work together.</p>
${lists}`
}

/** Renders the page of a tag. */
export function renderTag({ document, description, operations }: ReferenceTag): Html {
  const sections = operations.map((operation) => renderOperation(document, operation))
  const contents = renderContents(operations.map(({ id, summary }) => ({ id, title: summary })))
  return html`${renderMarkdown(description)}${contents}\n${sections}`
}

function renderOperation(document: Part, operation: Operation): Html {
  const { id, method, path, summary, description, credential, scopes, body, errors } = operation
  const parts = [
    html`<h2 id="${id}"><a href="${link(`#${id}`)}">${summary}</a></h2>`,
    html`<p class="operation"><code>${method} ${path}</code></p>`,
    renderMarkdown(description),
    html`<p>${credentialText(credential, scopes)}${operation.isRepeatable ? ' Safe to repeat.' : ''}</p>`,
    renderParameters(document, operation),
    body === null ? null : section('Body', renderFields(document, body.schema)),
    section('Example', renderExamples(document, operation)),
    section('Response', renderReply(document, operation)),
    errors.length === 0 ? null : section('Errors', renderErrors(errors)),
  ]
  return html`${parts.flatMap((part) => (part === null ? [] : [html`${part}\n`]))}`
}

const section = (title: string, content: Html | null) => content && html`<h3>${title}</h3>\n${content}`

/** With commas between them. */
const joined = (parts: Html[]) => parts.map((part, at) => html`${at > 0 ? ', ' : ''}${part}`)

function credentialText(credential: string | null, scopes: string[]): Html {
  if (credential === null) return html`Needs no credential.`
  if (credential === 'accessToken') return html`Needs the access token of a user.`
  if (credential === 'scimToken') return html`Needs the token of a SCIM connection.`
  if (scopes.length === 0) return html`Needs an API key.`
  return html`Needs an API key with the scope ${joined(scopes.map((scope) => html`<code>${scope}</code>`))}.`
}

function renderParameters(document: Part, { pathParameters, query }: Operation): Html | null {
  const parameters = [...pathParameters, ...query]
  const properties = Object.fromEntries(
    parameters.map(({ name, schema, description }) => [String(name), { ...partOf(schema), description }]),
  )
  const required = parameters.filter((one) => one['required'] === true).map(({ name }) => name)
  return section('Parameters', renderFields(document, { properties, required }))
}

function renderReply(document: Part, { reply, replyExample }: Operation): Html | null {
  if (reply === null) return null
  const fields = renderFields(document, reply)
  const folded = fields && html`<details><summary>Fields of the response</summary>${fields}</details>`
  const example = replyExample === null ? null : renderCode(formatJson(replyExample))
  return (folded ?? example) && html`${folded}${example}`
}

const renderErrors = (codes: string[]) =>
  html`<p>${joined(codes.map((code) => html`<a href="${link(`/docs/errors#${code}`)}"><code>${code}</code></a>`))}, and the errors of <a href="/docs/errors">every request</a>.</p>`

function renderExamples(document: Part, operation: Operation): Html {
  const [{ url } = { url: '' }] = listOf(document['servers']).map(partOf).toReversed()
  const isSdk = operation.credential !== 'scimToken'
  return html`${renderCode(curlOf(String(url), operation))}\n${isSdk && renderCode(callOf(operation))}`
}

const CREDENTIALS: Record<string, string> = {
  apiKey: '-H "X-API-Key: $KEY"',
  accessToken: '-H "Authorization: Bearer $ACCESS_TOKEN"',
  scimToken: '-H "Authorization: Bearer $SCIM_TOKEN"',
}

/** The request as a curl command. Readers fill in the parameters in braces. */
function curlOf(url: string, { method, path, query, credential, body }: Operation): string {
  const needed = query.filter(({ required }) => required === true).map(({ name }) => `${name}={${name}}`)
  const address = `"${url}${path}${needed.length === 0 ? '' : `?${needed.join('&')}`}"`
  const [example] = body?.examples ?? []
  const parts = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${address}`,
    ...(credential === null ? [] : [CREDENTIALS[credential] ?? '']),
    ...(example === undefined ? [] : [`-H "Content-Type: application/json"`, `-d '${quoted(formatJson(example))}'`]),
  ]
  return parts.join(' \\\n  ')
}

const quoted = (text: string) => text.replaceAll("'", "'\\''")

/** The SDK call: the path parameters, then query and body as one object. */
export function callOf({ id, pathParameters, query, body, isForUsers }: Operation): string {
  const [example] = body?.examples ?? []
  const needed = query.filter(({ required }) => required === true).map(({ name }) => [String(name), `{${name}}`])
  const input = { ...Object.fromEntries(needed), ...partOf(example) }
  const texts = [
    ...pathParameters.map(({ name }) => String(name)),
    ...(Object.keys(input).length === 0 ? [] : [literalOf(input)]),
  ]
  return `await watchword${isForUsers ? '.forUser(accessToken)' : ''}.${id}(${texts.join(', ')})`
}

/** A JSON object in TypeScript syntax. */
const literalOf = (value: unknown) => formatJson(value).replaceAll(/^(\s*|\{)"([A-Za-z_$][\w$]*)": /gm, '$1$2: ')
