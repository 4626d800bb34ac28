/** The description of an attribute (RFC 7643 §7), as `/Schemas` shows it. */
export interface ScimAttribute {
  name: string
  type: 'string' | 'boolean' | 'decimal' | 'integer' | 'dateTime' | 'binary' | 'reference' | 'complex'
  multiValued: boolean
  description: string
  required: boolean
  caseExact: boolean
  mutability: 'readOnly' | 'readWrite' | 'immutable' | 'writeOnly'
  returned: 'always' | 'never' | 'default' | 'request'
  uniqueness: 'none' | 'server' | 'global'
  canonicalValues?: string[]
  referenceTypes?: string[]
  subAttributes?: ScimAttribute[]
}

export interface ScimSchema {
  /** A URN. */
  id: string
  name: string
  description: string
  attributes: ScimAttribute[]
}

/** A resource type: its schema, and its known extensions (RFC 7643 §6). */
export interface ScimResourceType {
  name: string
  schema: ScimSchema
  extensions: ScimSchema[]
  /** The attributes of §3.1, of the schema, and those that are ignored, by lower-case name. */
  attributes: ReadonlyMap<string, ScimAttribute>
  /** The extensions by lower-case URN. */
  extensionsByUrn: ReadonlyMap<string, KnownExtension>
}

export interface KnownExtension {
  schema: ScimSchema
  attributes: ReadonlyMap<string, ScimAttribute>
}

/** The name of an attribute as it was written (RFC 7644 §3.10): its schema, its name and its part. */
export interface AttributeName {
  urn: string | null
  name: string
  sub: string | null
}

/** The place of an attribute in canonical spelling, with its schema if known. */
export interface AttributePlace {
  /** The URN of the extension that has the attribute, or null for an attribute of the resource itself. */
  urn: string | null
  /** Null means the whole extension. */
  name: string | null
  attribute: ScimAttribute | null
  sub: string | null
  subAttribute: ScimAttribute | null
}

type Options = Partial<Omit<ScimAttribute, 'name' | 'description'>>

export function defineAttribute(name: string, description: string, options: Options = {}): ScimAttribute {
  return {
    name,
    type: options.subAttributes ? 'complex' : 'string',
    multiValued: false,
    description,
    required: false,
    caseExact: false,
    mutability: 'readWrite',
    returned: 'default',
    uniqueness: 'none',
    ...options,
  }
}

// RFC 7643 §3.1: attributes of every resource that are in no schema.
const COMMON = [
  defineAttribute('schemas', 'The URNs of the schemas of the resource.', {
    type: 'reference',
    multiValued: true,
    caseExact: true,
    returned: 'always',
  }),
  defineAttribute('id', 'The id of the resource.', {
    caseExact: true,
    mutability: 'readOnly',
    returned: 'always',
    uniqueness: 'server',
  }),
  defineAttribute('externalId', 'The id that the client has for the resource.', { caseExact: true }),
  defineAttribute('meta', 'About the resource.', {
    mutability: 'readOnly',
    subAttributes: [
      defineAttribute('resourceType', 'The type of the resource.', { caseExact: true, mutability: 'readOnly' }),
      defineAttribute('created', 'When it was made.', { type: 'dateTime', mutability: 'readOnly' }),
      defineAttribute('lastModified', 'When it last changed.', { type: 'dateTime', mutability: 'readOnly' }),
      defineAttribute('location', 'Its address.', { type: 'reference', caseExact: true, mutability: 'readOnly' }),
      defineAttribute('version', 'Its entity tag.', { caseExact: true, mutability: 'readOnly' }),
    ],
  }),
]

/** `ignored` are attributes that clients may send and that `/Schemas` does not list. */
export function defineResourceType(
  schema: ScimSchema,
  extensions: ScimSchema[],
  ignored: ScimAttribute[] = [],
): ScimResourceType {
  return {
    name: schema.name,
    schema,
    extensions,
    attributes: byName([...COMMON, ...ignored, ...schema.attributes]),
    extensionsByUrn: new Map(
      extensions.map((extension) => [
        extension.id.toLowerCase(),
        { schema: extension, attributes: byName(extension.attributes) },
      ]),
    ),
  }
}

function byName(attributes: ScimAttribute[]): Map<string, ScimAttribute> {
  return new Map(attributes.map((attribute) => [attribute.name.toLowerCase(), attribute]))
}

/** Finds a part of a complex attribute by its name in any case. Null if there is none or the attribute is unknown. */
export function findSubAttribute(attribute: ScimAttribute | null, name: string): ScimAttribute | null {
  const wanted = name.toLowerCase()
  return attribute?.subAttributes?.find((sub) => sub.name.toLowerCase() === wanted) ?? null
}

/**
 * Finds the attribute that a name means for resources of a type, in any case. Unknown names keep their spelling and
 * have no attribute.
 */
export function locateAttribute(type: ScimResourceType, written: AttributeName): AttributePlace {
  const whole = written.urn === null ? null : `${written.urn}:${written.name}`
  const extension = whole === null || written.sub !== null ? null : findExtension(type, whole)
  if (extension) return { urn: extension.schema.id, name: null, attribute: null, sub: null, subAttribute: null }
  const isCore = written.urn === null || written.urn.toLowerCase() === type.schema.id.toLowerCase()
  const known = isCore || written.urn === null ? null : findExtension(type, written.urn)
  const attributes = isCore ? type.attributes : known?.attributes
  const attribute = attributes?.get(written.name.toLowerCase()) ?? null
  const subAttribute = written.sub === null ? null : findSubAttribute(attribute, written.sub)
  return {
    urn: isCore ? null : (known?.schema.id ?? written.urn),
    name: attribute?.name ?? written.name,
    attribute,
    sub: subAttribute?.name ?? written.sub,
    subAttribute,
  }
}

export function findExtension(type: ScimResourceType, urn: string): KnownExtension | null {
  return type.extensionsByUrn.get(urn.toLowerCase()) ?? null
}

/** The key of a name in lists of attributes: lower case, without the URN of the core schemas. */
export function attributeKey({ urn, name, sub }: AttributeName): string {
  const path = (sub === null ? name : `${name}.${sub}`).toLowerCase()
  const schema = urn?.toLowerCase() ?? ''
  return schema === '' || CORE_URN.test(schema) ? path : `${schema}:${path}`
}

const CORE_URN = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group)$/
