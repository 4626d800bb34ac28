import type { ErrorDefinition } from '../errors.ts'

/** The one error shape (RFC 9457) as JSON Schema. */
export const problemSchema = {
  type: 'object',
  description: 'A refusal (RFC 9457). Branch on `code`; members beside these belong to the code.',
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
  properties: {
    type: { type: 'string', format: 'uri', description: 'Where the code is explained.' },
    title: { type: 'string', description: 'The general case.' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'This occurrence, and what to do about it.' },
    code: { type: 'string', description: 'Stable.' },
    request_id: { type: 'string', description: 'Names the request in every log line and event; also X-Request-Id.' },
    errors: {
      type: 'array',
      description: 'The fields at fault, with `invalid_request`.',
      items: {
        type: 'object',
        required: ['field', 'code', 'message'],
        properties: { field: { type: 'string' }, code: { type: 'string' }, message: { type: 'string' } },
      },
    },
    retry_after: { type: 'integer', description: 'Seconds to wait, with status 429; also Retry-After.' },
  },
}

/**
 * The responses of the errors, grouped by status, as references. Routes that refuse alike share a component, which is
 * put into `components` under a name made of its status and codes.
 */
export function referToResponses(
  errors: ErrorDefinition[],
  components: Record<string, unknown>,
): Record<string, { $ref: string }> {
  const sorted = [...errors].sort((a, b) => a.status - b.status || (a.code < b.code ? -1 : 1))
  const byStatus = Map.groupBy(sorted, (error) => error.status)
  const entries = [...byStatus].map(([status, group]) => {
    const name = [status, ...group.map((error) => error.code)].join('.')
    components[name] ??= describeResponse(group)
    return [String(status), { $ref: `#/components/responses/${name}` }] as const
  })
  return Object.fromEntries(entries)
}

function describeResponse(group: ErrorDefinition[]): object {
  const codes = group.map((error) => error.code)
  const schema = {
    allOf: [
      { $ref: '#/components/schemas/Problem' },
      { type: 'object', properties: { code: { type: 'string', enum: codes } } },
    ],
  }
  const description = group.map((error) => `\`${error.code}\`: ${error.title}.`).join('\n\n')
  return { description, content: { 'application/problem+json': { schema } } }
}
