import fastJson from 'fast-json-stringify'

const serializers = new WeakMap<object, (value: unknown) => string>()
const rewritten = new WeakMap<object, unknown>()

/** Fastify's serializer compiler. Each serializer is compiled at its first use, once for all paths of its route. */
export function compileSerializer({ schema }: { schema: unknown }): (value: unknown) => string {
  const key = Object(schema)
  return (value) => {
    const serialize = serializers.get(key) ?? fastJson(key)
    serializers.set(key, serialize)
    return serialize(value)
  }
}

/**
 * Rewrites a schema for the compiled serializer: `anyOf: [{ type: 'string' }, { type: 'null' }]` becomes `type:
 * ['string', 'null']`, which it decides by a comparison instead of running a validator for each value. The same input
 * object gives the same result, so that all servers of the process share the compiled serializer.
 */
export function serializerSchema(schema: object): unknown {
  const known = rewritten.get(schema) ?? rewrite(schema)
  rewritten.set(schema, known)
  return known
}

function rewrite(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(rewrite)
  if (typeof schema !== 'object' || schema === null) return schema
  const copied = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, rewrite(value)]))
  const { anyOf, ...rest } = copied
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return copied
  const [some, none]: unknown[] = anyOf
  if (typeOf(none) !== 'null' || !['string', 'integer', 'number', 'boolean', 'object'].includes(typeOf(some) ?? ''))
    return copied
  return { ...rest, ...Object(some), type: [typeOf(some), 'null'] }
}

function typeOf(schema: unknown): string | null {
  if (typeof schema !== 'object' || schema === null) return null
  const type: unknown = Reflect.get(schema, 'type')
  return typeof type === 'string' && !('enum' in schema) ? type : null
}
