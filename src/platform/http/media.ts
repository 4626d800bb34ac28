import { httpErrors } from '../errors.ts'
import { renderRefusal } from '../pages/card.ts'
import { writeHtml } from '../pages/html.ts'
import { pageHeaders } from '../pages/policy.ts'
import type { Problem } from './problem.ts'

export type MediaName = keyof typeof media

/** The format of a route's request bodies, responses and refusals. */
interface Media {
  /** Parses a body of this type. An empty body is undefined. Throws `unsupported_media_type`, `invalid_json`. */
  read(type: string, text: string): unknown
  /** The content type of responses. */
  type: string
  /** Whether a client that sends this `Accept` can read the responses. */
  suits(accept: string): boolean
  /** The content type of refusals. */
  refusalType: string
  /** Converts a refusal to the form that clients of this medium expect. Pages of it load files below `rootPath`. */
  refuse(problem: Problem, requestId: string, rootPath?: string): Refusal
}

const JSON_TYPE = /^application\/json(\s*;\s*charset=utf-8)?$/i
const SCIM_TYPE = /^application\/(scim\+)?json(\s*;\s*charset=utf-8)?$/i
const FORM_TYPE = /^application\/x-www-form-urlencoded(\s*;\s*charset=utf-8)?$/i
const ANY = /\*\/\*/

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw httpErrors.invalidJson()
  }
}

/** Names and values. No name occurs twice. */
export type Fields = Record<string, string>

/** Refuses repeated names, because different parsers would read them differently (ASVS 15.3.7). */
export function refuseRepeatedNames(entries: Iterable<[string, unknown]>): Fields {
  const fields = new Map<string, string>()
  for (const [name, value] of entries) {
    if (typeof value !== 'string' || fields.has(name))
      throw httpErrors.invalidRequest({ detail: 'A field was sent twice.' })
    if (value.includes('\u0000'))
      throw httpErrors.invalidRequest({ detail: 'A field contains characters that are not text.' })
    fields.set(name, value)
  }
  return Object.fromEntries(fields)
}

/** The headers and the body of a refusal. */
export interface Refusal {
  headers: Record<string, string>
  text: string
}

function json(type: string, body: object): Refusal {
  return { headers: { 'content-type': type }, text: JSON.stringify(body) }
}

/** SCIM's error keywords (RFC 7644 §3.12) for refusals by the pipeline. */
const SCIM_TYPES = new Map<unknown, string>([
  [httpErrors.invalidJson.code, 'invalidSyntax'],
  [httpErrors.invalidRequest.code, 'invalidValue'],
])

/**
 * "invalidSyntax" if the body does not have the form of a SCIM message. `Operations` occurs only in messages, never in
 * resources.
 */
function scimTypeOf(code: unknown, errors: unknown): string | undefined {
  const [first]: unknown[] = Array.isArray(errors) ? errors : []
  const field = typeof first === 'object' && first !== null ? Reflect.get(first, 'field') : undefined
  return field === '' || field === 'Operations' ? 'invalidSyntax' : SCIM_TYPES.get(code)
}

export const media = {
  /** JSON; refusals are problems (RFC 9457). */
  json: {
    read(type, text) {
      if (text === '') return undefined
      if (JSON_TYPE.test(type)) return readJson(text)
      throw httpErrors.unsupportedMediaType({ detail: 'Send the body as application/json.' })
    },
    type: 'application/json; charset=utf-8',
    suits: (accept) => ANY.test(accept) || /application\/(\*|json|problem\+json)/i.test(accept),
    refusalType: 'application/problem+json',
    refuse: ({ body }) => json('application/problem+json', body),
  },
  /** SCIM (RFC 7644 §3.1, §3.8). Plain JSON and a body without a type are accepted too. */
  scim: {
    read(type, text) {
      if (text === '') return undefined
      if (type === '' || SCIM_TYPE.test(type)) return readJson(text)
      throw httpErrors.unsupportedMediaType({ detail: 'Send the body as application/scim+json.' })
    },
    type: 'application/scim+json',
    suits: (accept) => ANY.test(accept) || /application\/(\*|scim\+json|json)/i.test(accept),
    refusalType: 'application/scim+json',
    // RFC 7644 §3.12
    refuse: ({ status, body: { code, detail, errors, scimType = scimTypeOf(code, errors) } }) =>
      json('application/scim+json', {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
        status: String(status),
        ...(scimType === undefined ? {} : { scimType }),
        detail,
      }),
  },
  /** A form that a browser sends. Responses are pages, redirects, and refusals for people. */
  form: {
    read(type, text) {
      if (text === '') return {}
      if (FORM_TYPE.test(type)) return refuseRepeatedNames(new URLSearchParams(text))
      throw httpErrors.unsupportedMediaType({ detail: 'Send the body as application/x-www-form-urlencoded.' })
    },
    type: 'text/html; charset=utf-8',
    suits: () => true,
    refusalType: 'text/html',
    refuse({ status, body }, requestId, rootPath) {
      const { html, contentSecurityPolicy } = renderRefusal(status, body, requestId)
      return { headers: pageHeaders(contentSecurityPolicy), text: writeHtml(html, rootPath) }
    },
  },
} satisfies Record<string, Media>

/** The medium by name. */
export function mediaOf(name: MediaName): Media {
  return media[name]
}
