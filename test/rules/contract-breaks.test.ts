import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { listOf, type Part, partOf } from '../../src/platform/openapi/document-parts.ts'
import { breakingChanges } from '../../tools/contract-breaks.ts'

const schema = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const json = (content: Part) => ({ content: { 'application/json': { schema: content } } })

/** A contract with each thing that can break. */
const document = {
  openapi: '3.1.0',
  servers: [{ url: 'https://x.test' }],
  paths: {
    '/users': {
      post: {
        operationId: 'users.create',
        security: [{ key: ['users.write'] }, { bearer: [] }],
        parameters: [
          { $ref: '#/components/parameters/Id' },
          { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 200, default: 50 } },
        ],
        requestBody: { required: false, ...json(schema('UserCreate')) },
        responses: {
          '200': { headers: { ETag: { required: true, schema: { type: 'string' } } }, ...json(schema('UserList')) },
          '404': { content: { 'application/problem+json': { schema: schema('NotFoundProblem') } } },
          default: {
            content: {
              'application/problem+json': { schema: { anyOf: [schema('LockedProblem'), schema('BusyProblem')] } },
            },
          },
        },
      },
    },
  },
  webhooks: { event: { post: { requestBody: json(schema('AnyEvent')), responses: {} } } },
  components: {
    securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'A key.' } },
    parameters: { Id: { name: 'Idempotency-Key', in: 'header', schema: { type: 'string', maxLength: 255 } } },
    schemas: {
      UserCreate: {
        type: 'object',
        required: ['email'],
        properties: {
          email: { type: 'string', format: 'email', maxLength: 254 },
          name: { type: ['string', 'null'], minLength: 1 },
          role: { enum: ['admin', 'member'] },
          age: { type: 'integer' },
          tags: { type: 'array', items: { type: 'string' }, maxItems: 5 },
          labels: {
            type: 'object',
            propertyNames: { maxLength: 20 },
            patternProperties: { '^.*$': { type: 'string' } },
          },
          manager: schema('UserCreate'),
        },
      },
      UserList: {
        type: 'object',
        required: ['users'],
        properties: { users: { type: 'array', items: schema('User') } },
      },
      User: {
        type: 'object',
        required: ['id', 'status'],
        properties: {
          id: { type: 'string', format: 'uuid' },
          status: { type: 'string', enum: ['active', 'locked'] },
          email: { anyOf: [{ type: 'string' }, { type: 'null' }] },
          logins: { type: 'integer' },
          settings: { type: 'object', additionalProperties: { type: 'string' } },
          login: { oneOf: [schema('Session'), schema('Challenge')] },
        },
      },
      Session: { type: 'object', required: ['token'], properties: { token: { type: 'string' } } },
      Challenge: { type: 'object', required: ['factor'], properties: { factor: { type: 'string' } } },
      Problem: {
        type: 'object',
        required: ['code'],
        properties: { code: { type: 'string' }, status: { type: 'integer' } },
      },
      NotFoundProblem: { allOf: [schema('Problem'), { properties: { code: { const: 'not_found' } } }] },
      LockedProblem: {
        allOf: [schema('Problem'), { properties: { code: { const: 'locked' }, until: { type: 'string' } } }],
      },
      BusyProblem: { allOf: [schema('Problem'), { properties: { code: { const: 'busy' } } }] },
      Event: { type: 'object', required: ['type'], properties: { type: { type: 'string' }, data: { type: 'object' } } },
      AnyEvent: {
        oneOf: [
          { allOf: [schema('Event'), { properties: { type: { enum: ['made', 'gone'] }, data: schema('Session') } }] },
          { allOf: [schema('Event'), { properties: { type: { const: 'seen' } } }] },
        ],
      },
    },
  },
}

/** A copy in which the part at each place, its steps separated by spaces, is another, or gone where it is undefined. */
function changed(base: Part, changes: Record<string, unknown>): Part {
  const copy = structuredClone(base)
  for (const [place, value] of Object.entries(changes)) {
    const steps = place.split(' ')
    const last = steps.pop() ?? ''
    const parent = Object(steps.reduce<unknown>((at, step) => Object(at)[step], copy))
    if (value !== undefined) parent[last] = value
    else if (Array.isArray(parent)) parent.splice(Number(last), 1)
    else delete parent[last]
  }
  return copy
}

const OPERATION = 'paths /users post'
const USER = 'components schemas User'
const CREATE = 'components schemas UserCreate'
const EVENT = 'components schemas AnyEvent oneOf'
const PROBLEM = 'application/problem+json'
const FIELDS = document.components.schemas.UserCreate.properties

const breaks: [what: string, changes: Record<string, unknown>, found: string[]][] = [
  ['an operation is gone', { [OPERATION]: undefined }, ['POST /users: the operation is gone']],
  ['a path is gone', { 'paths /users': undefined }, ['POST /users: the operation is gone']],
  ['a webhook is gone', { 'webhooks event': undefined }, ['POST event: the operation is gone']],
  [
    'an operation has another name',
    { [`${OPERATION} operationId`]: 'users.make' },
    ['POST /users: operationId was users.create, is users.make'],
  ],
  ['a server is gone', { 'servers 0 url': 'https://y.test' }, ['servers: the server https://x.test is gone']],
  [
    'an operation asks for another scope',
    { [`${OPERATION} security 0 key`]: ['users.create'] },
    ['POST /users: {"key":["users.write"]} no longer suffices'],
  ],
  [
    'an operation asks for a further scope',
    { [`${OPERATION} security 0 key`]: ['users.write', 'users.read'] },
    ['POST /users: {"key":["users.write"]} no longer suffices'],
  ],
  [
    'a way to authenticate is gone',
    { [`${OPERATION} security 1`]: undefined },
    ['POST /users: {"bearer":[]} no longer suffices'],
  ],
  [
    'a scheme sends another header',
    { 'components securitySchemes key name': 'X-Key' },
    [
      'security scheme key: was {"type":"apiKey","in":"header","name":"X-Api-Key"}, is {"type":"apiKey","in":"header","name":"X-Key"}',
    ],
  ],
  [
    'a parameter is gone',
    { [`${OPERATION} parameters 1`]: undefined },
    ['POST /users query parameter limit: the parameter is gone'],
  ],
  [
    'a parameter becomes required',
    { 'components parameters Id required': true },
    ['POST /users header parameter Idempotency-Key: is now required'],
  ],
  [
    'a new parameter is required',
    { [`${OPERATION} parameters 2`]: { name: 'q', in: 'query', required: true } },
    ['POST /users query parameter q: is now required'],
  ],
  [
    'a parameter has a lower limit and another default',
    { [`${OPERATION} parameters 1 schema`]: { type: 'integer', maximum: 100, default: 20 } },
    [
      'POST /users query parameter limit: default was 50, is 20',
      'POST /users query parameter limit: maximum was 200, is 100',
    ],
  ],
  ['the body is gone', { [`${OPERATION} requestBody`]: undefined }, ['POST /users body: the body is gone']],
  ['the body becomes required', { [`${OPERATION} requestBody required`]: true }, ['POST /users body: is now required']],
  [
    'the body has another media type',
    { [`${OPERATION} requestBody content`]: { 'text/csv': {} } },
    ['POST /users body application/json: the media type is gone'],
  ],
  [
    'a field of a request is gone',
    { [`${CREATE} properties name`]: undefined },
    ['UserCreate (request).name: the field is gone'],
  ],
  [
    'a field of a request becomes required',
    { [`${CREATE} required`]: ['email', 'name'] },
    ['UserCreate (request).name: is now required'],
  ],
  [
    'a new field of a request is required',
    { [`${CREATE} required`]: ['email', 'code'], [`${CREATE} properties code`]: { type: 'string' } },
    ['UserCreate (request).code: is now required'],
  ],
  [
    'a field of a request has another type',
    { [`${CREATE} properties age`]: { type: 'string' } },
    ['UserCreate (request).age: integer is no longer possible'],
  ],
  [
    'a field of a request may no longer be null',
    { [`${CREATE} properties name type`]: 'string' },
    ['UserCreate (request).name: null is no longer possible'],
  ],
  [
    'an enum of a request loses a value',
    { [`${CREATE} properties role enum`]: ['admin'] },
    ['UserCreate (request).role: "member" is no longer accepted'],
  ],
  [
    'a request gets an enum',
    { [`${CREATE} properties tags items enum`]: ['a'] },
    ['UserCreate (request).tags[]: any other value is no longer accepted'],
  ],
  [
    'a format of a request changes',
    { [`${CREATE} properties email format`]: 'idn-email' },
    ['UserCreate (request).email: format was email, is idn-email'],
  ],
  [
    'a request gets a pattern',
    { [`${CREATE} properties email pattern`]: '@' },
    ['UserCreate (request).email: pattern was undefined, is @'],
  ],
  ...['maxLength', 'minLength'].map((key): (typeof breaks)[number] => {
    const [old, next] = key === 'maxLength' ? [254, 100] : [undefined, 5]
    return [
      `${key} of a request is tighter`,
      { [`${CREATE} properties email ${key}`]: next },
      [`UserCreate (request).email: ${key} was ${old}, is ${next}`],
    ]
  }),
  [
    'a number of a request gets a minimum',
    { [`${CREATE} properties age minimum`]: 0 },
    ['UserCreate (request).age: minimum was undefined, is 0'],
  ],
  [
    'items of a request are limited',
    { [`${CREATE} properties tags`]: { ...FIELDS.tags, maxItems: 4, uniqueItems: true } },
    ['UserCreate (request).tags: items must now be unique', 'UserCreate (request).tags: maxItems was 5, is 4'],
  ],
  [
    'named values of a request are limited',
    { [`${CREATE} properties labels patternProperties`]: { '^.*$': { type: 'string', maxLength: 9 } } },
    ['UserCreate (request).labels{^.*$}: maxLength was undefined, is 9'],
  ],
  [
    'names of a request are limited',
    { [`${CREATE} properties labels propertyNames`]: { maxLength: 10 } },
    ['UserCreate (request).labels{name}: maxLength was 20, is 10'],
  ],
  [
    'a request is closed to other fields',
    { [`${CREATE} additionalProperties`]: false },
    ['UserCreate (request): other fields are no longer accepted'],
  ],
  ['a response is gone', { [`${OPERATION} responses 200`]: undefined }, ['POST /users 200: the response is gone']],
  [
    'a header is gone',
    { [`${OPERATION} responses 200 headers`]: {} },
    ['POST /users 200 header ETag: the header is gone'],
  ],
  [
    'a header may be absent',
    { [`${OPERATION} responses 200 headers ETag required`]: false },
    ['POST /users 200 header ETag: may now be absent'],
  ],
  [
    'a response has another media type',
    { [`${OPERATION} responses 200 content`]: { 'text/csv': {} } },
    ['POST /users 200 application/json: the media type is gone'],
  ],
  [
    'a refusal has another media type',
    {
      [`${OPERATION} responses default content`]: {
        'text/html': document.paths['/users'].post.responses.default.content[PROBLEM],
      },
    },
    ['POST /users default application/problem+json: the media type is gone'],
  ],
  [
    'a number of a response may have fractions',
    { [`${USER} properties logins type`]: 'number' },
    ['User (response).logins: integer is no longer possible', 'User (response).logins: number is now possible'],
  ],
  [
    'named values of a response have another type',
    { [`${USER} properties settings additionalProperties type`]: 'boolean' },
    ['User (response).settings{}: boolean is now possible', 'User (response).settings{}: string is no longer possible'],
  ],
  [
    'a field of a response is gone',
    { [`${USER} properties id`]: undefined },
    ['User (response).id: the field is gone'],
  ],
  [
    'a field of a response may be absent',
    { [`${USER} required`]: ['id'] },
    ['User (response).status: may now be absent'],
  ],
  [
    'a field of a response has another type',
    { [`${USER} properties id type`]: 'integer' },
    ['User (response).id: integer is now possible', 'User (response).id: string is no longer possible'],
  ],
  [
    'a field of a response may be null',
    { [`${USER} properties id type`]: ['string', 'null'] },
    ['User (response).id: null is now possible'],
  ],
  [
    'a format of a response changes',
    { [`${USER} properties id format`]: undefined },
    ['User (response).id: format was uuid, is undefined'],
  ],
  [
    'an enum of a response gets a value',
    { [`${USER} properties status enum`]: ['active', 'locked', 'asleep'] },
    ['User (response).status: "asleep" is now possible'],
  ],
  [
    'an enum of a response loses a value',
    { [`${USER} properties status enum`]: ['active'] },
    ['User (response).status: "locked" is no longer possible'],
  ],
  [
    'a response loses its enum',
    { [`${USER} properties status enum`]: undefined },
    ['User (response).status: any value is now possible'],
  ],
  [
    'an alternative of a response changes',
    { 'components schemas Challenge required': [] },
    ['User (response).login.factor: may now be absent'],
  ],
  [
    'a response gets an alternative',
    { [`${USER} properties login oneOf 2`]: { type: 'object', properties: { url: { type: 'string' } } } },
    ['User (response).login: object is now possible'],
  ],
  [
    'a schema has another name and a field less',
    {
      'components schemas UserList properties users items': schema('Person'),
      'components schemas Person': { ...document.components.schemas.User, required: ['id'] },
    },
    ['UserList (response).users[].status: may now be absent'],
  ],
  [
    'an error code is gone',
    { [`${OPERATION} responses default content ${PROBLEM} schema anyOf 1`]: undefined },
    ['POST /users default: code "busy" is gone'],
  ],
  [
    'an error has another code',
    { 'components schemas NotFoundProblem allOf 1 properties code const': 'missing' },
    ['POST /users 404: code "not_found" is gone'],
  ],
  [
    'a member of an error is gone',
    { 'components schemas LockedProblem allOf 1 properties until': undefined },
    ['POST /users default code "locked".until: the field is gone'],
  ],
  ['a type of event is gone', { [`${EVENT} 1`]: undefined }, ['AnyEvent (response): type "seen" is gone']],
  [
    'an event has other data',
    { 'components schemas Session properties token type': 'integer' },
    [
      'AnyEvent (response) type "gone".data.token: integer is now possible',
      'AnyEvent (response) type "gone".data.token: string is no longer possible',
      'AnyEvent (response) type "made".data.token: integer is now possible',
      'AnyEvent (response) type "made".data.token: string is no longer possible',
      'User (response).login.token: integer is now possible',
      'User (response).login.token: string is no longer possible',
    ],
  ],
]

describe('a change breaks clients if', () => {
  test.each(breaks)('%s', (_, changes, found) => {
    expect(breakingChanges(document, changed(document, changes))).toEqual(found)
  })
})

const additions: [what: string, changes: Record<string, unknown>][] = [
  ['an operation', { 'paths /roles': { get: { operationId: 'roles.list', responses: {} } } }],
  ['a way to authenticate', { [`${OPERATION} security 2`]: { cookie: [] } }],
  ['a narrower scope that also suffices', { [`${OPERATION} security 0 key`]: [] }],
  ['an optional parameter', { [`${OPERATION} parameters 2`]: { name: 'q', in: 'query' } }],
  ['an optional field of a request', { [`${CREATE} properties phone`]: { type: 'string' } }],
  ['a value of an enum of a request', { [`${CREATE} properties role enum`]: ['admin', 'member', 'guest'] }],
  ['null for a field of a request', { [`${CREATE} properties age type`]: ['integer', 'null'] }],
  ['fractions for a field of a request', { [`${CREATE} properties age type`]: 'number' }],
  ['a wider limit of a request', { [`${CREATE} properties email maxLength`]: 320 }],
  ['a required field of a request that becomes optional', { [`${CREATE} required`]: [] }],
  ['a field of a response', { [`${USER} properties name`]: { type: 'string' } }],
  ['a field that a response always has', { [`${USER} required`]: ['id', 'status', 'email'] }],
  ['a response that is never null', { [`${USER} properties email`]: { type: 'string' } }],
  ['a response status', { [`${OPERATION} responses 202`]: { description: 'Later.' } }],
  ['a header of a response', { [`${OPERATION} responses 200 headers Link`]: { schema: { type: 'string' } } }],
  [
    'an error code',
    { [`${OPERATION} responses default content ${PROBLEM} schema anyOf 2`]: schema('NotFoundProblem') },
  ],
  [
    'a status of its own for an error code',
    {
      [`${OPERATION} responses default content ${PROBLEM} schema anyOf 1`]: undefined,
      [`${OPERATION} responses 503`]: { content: { [PROBLEM]: { schema: schema('BusyProblem') } } },
    },
  ],
  ['a type of event', { [`${EVENT} 1 allOf 1 properties type`]: { enum: ['seen', 'heard'] } }],
  [
    'a name for a schema',
    {
      'components schemas UserList properties users items': schema('Person'),
      'components schemas Person': document.components.schemas.User,
    },
  ],
  ['a description', { [`${USER} description`]: 'A user.', 'components securitySchemes key description': 'The key.' }],
  ['an example', { [`${CREATE} properties email examples`]: ['ada@x.test'] }],
]

describe('no client breaks at', () => {
  test.each(additions)('%s', (_, changes) => {
    expect(breakingChanges(document, changed(document, changes))).toEqual([])
  })
})

const root = fileURLToPath(new URL('../..', import.meta.url))
const readJson = (path: string) => partOf(JSON.parse(readFileSync(path, 'utf8')))
const contract = readJson(join(root, 'openapi.json'))

/** Every place in a part that satisfies the condition, as `changed` takes it. */
function placesIn(part: unknown, isWanted: (steps: string[]) => boolean, steps: string[] = []): string[] {
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([key, inner]) => {
    const place = [...steps, key]
    return [...(isWanted(place) ? [place.join(' ')] : []), ...placesIn(inner, isWanted, place)]
  })
}

const partAt = (part: unknown, place: string) =>
  place
    .split(' ')
    .reduce((inner: unknown, key) => (Array.isArray(inner) ? inner[Number(key)] : partOf(inner)[key]), part)

test('whatever operation, response, parameter or field leaves the contract, its absence is reported', () => {
  const places = placesIn(contract, (steps) => {
    const [last, ...others] = steps.toReversed()
    if (steps.includes('examples') || steps.includes('example') || last === undefined) return false
    return steps[0] === 'paths'
      ? (steps.length === 3 && last !== 'servers') || ['responses', 'parameters', 'content'].includes(others[0] ?? '')
      : steps[1] === 'schemas' && others[0] === 'properties'
  })
  // The `data` of an event without fields of its own says what that of every event says.
  const isPlainData = (place: string) =>
    /Event allOf 1 properties data$/.test(place) &&
    JSON.stringify(partOf(partAt(contract, place))['properties']) === '{}'
  // Whatever is built on these says the field again.
  const isSaidAgain = (place: string) =>
    /^components schemas (Event properties (type|data)|Problem properties code)$/.test(place)
  const needed = places.filter((place) => !isPlainData(place) && !isSaidAgain(place))
  expect(needed.length).toBeGreaterThan(2000)
  const plain = places.filter((place) => isPlainData(place) || isSaidAgain(place))
  expect(plain.filter(isSaidAgain)).toHaveLength(3)
  expect(plain.filter(isPlainData)).not.toEqual([])
  for (const place of plain)
    expect(breakingChanges(contract, changed(contract, { [place]: undefined })), place).toEqual([])
  fc.assert(
    fc.property(fc.constantFrom(...needed), (place) => {
      expect(breakingChanges(contract, changed(contract, { [place]: undefined })), place).not.toEqual([])
    }),
    { numRuns: 10 },
  )
})

test('whatever is added to the contract beside the present fields breaks no client', () => {
  const places = placesIn(contract['components'], (steps) => steps.at(-1) === 'properties')
  expect(places.length).toBeGreaterThan(300)
  fc.assert(
    fc.property(fc.constantFrom(...places), (place) => {
      const added = { [`components ${place} further`]: { type: 'string', maxLength: 5 } }
      expect(breakingChanges(contract, changed(contract, added)), place).toEqual([])
    }),
    { numRuns: 6 },
  )
})

describe('the check of the contract', () => {
  const folder = mkdtempSync(join(tmpdir(), 'watchword-contract-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const run = () => spawnSync(process.execPath, [join(root, 'tools/check-contract.ts'), folder], { encoding: 'utf8' })
  const write = (path: string, value: unknown) => writeFileSync(join(folder, path), JSON.stringify(value))
  const listed = readJson(join(root, 'releases/deliberate-breaks.json'))
  /** Adds breaks to those of the repository. */
  const list = (breaks: object) => write('releases/deliberate-breaks.json', { ...listed, ...breaks })
  const gone = 'DELETE /v1/users/{userId}: the operation is gone'
  cpSync(join(root, 'releases'), join(folder, 'releases'), { recursive: true })
  cpSync(join(root, 'openapi.json'), join(folder, 'openapi.json'))
  cpSync(join(root, 'openapi.scim.json'), join(folder, 'openapi.scim.json'))

  test('accepts the contract of the repository', () => {
    expect([run().status, run().stderr]).toEqual([0, ''])
  })

  test('fails on a break until it is listed with its reason, in either document', () => {
    write('openapi.json', changed(contract, { 'paths /v1/users/{userId} delete': undefined }))
    const scim = readJson(join(root, 'openapi.scim.json'))
    const [path = ''] = Object.keys(partOf(scim['paths']))
    write('openapi.scim.json', changed(scim, { [`paths ${path}`]: undefined }))
    const refused = run()
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining(gone)])
    expect(refused.stderr).toContain(path)
    const found = refused.stderr
      .split('\n')
      .flatMap((line) => listOf(line.match(/(?<=^Breaking change since [\d.]+: ).*/)))
    list(Object.fromEntries(found.map((each) => [each, ''])))
    expect(run().status).toBe(1)
    list(Object.fromEntries(found.map((each) => [each, 'Replaced.'])))
    expect([run().status, run().stderr]).toEqual([0, ''])
  })

  test('fails on a listed break that does not occur', () => {
    cpSync(join(root, 'openapi.json'), join(folder, 'openapi.json'))
    cpSync(join(root, 'openapi.scim.json'), join(folder, 'openapi.scim.json'))
    list({ [gone]: 'Replaced.' })
    expect([run().status, run().stderr]).toEqual([1, expect.stringContaining(`does not occur: ${gone}`)])
  })

  test('compares with the newest release, by the numbers of its version', () => {
    const current = changed(contract, { 'paths /v1/users/{userId} delete': undefined })
    write('openapi.json', current)
    list({})
    for (const [version, released] of [
      ['98.9.0', contract],
      ['98.10.0', current],
    ] as const) {
      mkdirSync(join(folder, 'releases', version))
      write(`releases/${version}/openapi.json`, released)
      write(`releases/${version}/openapi.scim.json`, readJson(join(root, 'openapi.scim.json')))
    }
    expect([run().status, run().stderr]).toEqual([0, ''])
  })
})
