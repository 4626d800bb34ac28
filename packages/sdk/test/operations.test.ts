import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { type Operation, operationsOf } from '../../../src/platform/openapi/document-operations.ts'
import { partOf } from '../../../src/platform/openapi/document-parts.ts'
import { Watchword } from '../src/index.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const document = partOf(JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8')))
const operations = operationsOf(document)
const client = new Watchword({ url: 'http://x.test' })
const source = readFileSync(join(root, 'packages/sdk/src/gen/client.gen.ts'), 'utf8')

const idOf = ({ namespace, name }: Operation) => `${namespace}.${name}`
const reach = (id: string) => id.split('.').reduce<unknown>((inner, step) => Object(inner)[step], client)

test('every operation is a method', () => {
  expect(operations.length).toBeGreaterThan(220)
  expect(operations.filter((operation) => typeof reach(idOf(operation)) !== 'function').map(idOf)).toEqual([])
})

test('every method and every class has a comment', () => {
  const lines = source.split('\n')
  const named = lines.flatMap((line, at) => {
    const [, name] = /^ {2}(\w+)\(.*options\?: CallOptions\)/.exec(line) ?? []
    return name
      ? [{ name, isCommented: lines[at - 1]?.trim() === '*/' || lines[at - 1]?.trim().startsWith('/**') }]
      : []
  })
  expect(named).toHaveLength(operations.length)
  expect(named.filter(({ isCommented }) => !isCommented)).toEqual([])
})

test('the comment of a method names the scopes that it needs, and the rows that it iterates over', () => {
  const comments = new Map(
    source
      .split(/^ {2}\/\*\*$/m)
      .slice(1)
      .map((part) => [/this\.transport\.\w+\('([\w.]+)'/.exec(part)?.[1] ?? '', part.slice(0, part.indexOf('*/'))]),
  )
  const lacking = operations.filter(({ id, scopes, pagination }) => {
    const comment = comments.get(id) ?? ''
    const rows = pagination === null || comment.includes(`rows of \`${pagination.items}\``)
    return !rows || !scopes.every((scope) => new RegExp(`Scopes?: .*\`${scope.replace('.', '\\.')}\``).test(comment))
  })
  expect(lacking.map(idOf)).toEqual([])
  expect(comments.get('users.get')).toContain('Scope: `users.read`.')
})

test('no two methods are alike, and none ends in a digit', () => {
  const ids = operations.map(idOf)
  const plain = ids.map((id) => id.toLowerCase().replaceAll(/[^a-z]/g, ''))
  expect(new Set(plain).size).toBe(ids.length)
  expect(ids.filter((id) => /\d$/.test(id) || /alias/i.test(id))).toEqual([])
})

/** The verbs that a method's name begins with: the standard ones, and those of actions that no standard one describes. */
const STANDARD = ['list', 'get', 'create', 'update', 'delete', 'revoke', 'verify', 'send', 'start', 'complete']
const SPECIAL = [
  ...[
    'accept',
    'archive',
    'change',
    'check',
    'discover',
    'erase',
    'exchange',
    'export',
    'generate',
    'impersonate',
    'introspect',
  ],
  ...[
    'invite',
    'lock',
    'logout',
    'move',
    'password',
    'preview',
    'refresh',
    'register',
    'replace',
    'replay',
    'report',
    'resend',
  ],
  ...['reset', 'restore', 'rotate', 'set', 'submit', 'test', 'undo', 'unlock', 'validate'],
]

test('a method is named by a verb of the list', () => {
  const begins = (name: string) => [...STANDARD, ...SPECIAL].some((verb) => new RegExp(`^${verb}(?![a-z])`).test(name))
  expect(operations.map(idOf).filter((id) => !begins(id.split('.').at(-1) ?? ''))).toEqual([])
  const unused = SPECIAL.filter((verb) => !operations.some(({ name }) => new RegExp(`^${verb}(?![a-z])`).test(name)))
  expect(unused).toEqual([])
})

describe('by the compiler', () => {
  // Below the package, so that its modules and types are found.
  const cache = join(root, 'packages/sdk/node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const place = mkdtempSync(join(cache, 'types-'))
  afterAll(() => rmSync(place, { recursive: true }))

  /** What the compiler says about a module that has a client `w`. */
  async function complaints(name: string, lines: string[]): Promise<string> {
    const file = join(place, `${name}.ts`)
    const imports = `import { type AnyEvent, type ErrorCode, type UnlistedEvent, Watchword, WatchwordError } from '../../../src/index.ts'\nimport type { DeliveredEvent } from '../../../src/webhooks.ts'\n`
    writeFileSync(
      file,
      `${imports}const w = new Watchword({ url: 'https://x.test' })\n${lines.join('\n')}\nexport { type AnyEvent, type DeliveredEvent, type ErrorCode, type UnlistedEvent, w, WatchwordError }\n`,
    )
    const config = join(place, `${name}.json`)
    const compilerOptions = { noEmit: true, lib: ['es2024', 'dom', 'dom.iterable'], types: [] }
    const extended = join(root, 'tsconfig.json')
    writeFileSync(config, JSON.stringify({ extends: extended, compilerOptions, include: [], files: [file] }))
    const found = promisify(execFile)(join(root, 'node_modules/.bin/tsc'), ['-p', config])
    return found.then(
      ({ stdout }) => stdout,
      (error: unknown) => String(Object(error).stdout),
    )
  }

  test('every printed example of a request is a call', async () => {
    const calls = operations.flatMap((operation) =>
      (operation.body && !operation.body.isForm ? operation.body.examples : []).map((example) => {
        const ids = operation.pathParameters.map((parameter) => JSON.stringify(sampleOf(parameter)))
        const needed = operation.query.filter(({ required }) => required === true)
        const inQuery = Object.fromEntries(needed.map((parameter) => [String(parameter['name']), sampleOf(parameter)]))
        return `void w.${idOf(operation)}(${[...ids, JSON.stringify({ ...inQuery, ...Object(example) })].join(', ')})`
      }),
    )
    expect(calls.length).toBeGreaterThan(100)
    expect(await complaints('examples', calls)).toBe('')
  })

  test('errors, pages and events narrow', async () => {
    const lines = [
      'try { await w.users.create({ email: "a@b.test" }) } catch (error) {',
      '  if (!(error instanceof WatchwordError)) throw error',
      '  if (error.code === "weak_password") { const reasons: string[] | undefined = error.problem.reasons; void reasons }',
      '  // @ts-expect-error: a code that does not exist',
      '  if (error.code === "no_such_code") throw error',
      '  // @ts-expect-error: a member of another code',
      '  if (error.code === "email_exists") void error.problem.reasons',
      '  const code: string = error.code; void code',
      '  // A newer service sends codes that this package does not list.',
      '  switch (error.code) { case "rate_limited": break; default: { const other: string = error.code; void other } }',
      '  // @ts-expect-error: codes that are not listed are left',
      '  const words: Record<ErrorCode, string> = {} as never; void words[error.code]',
      '}',
      'for await (const user of w.users.list()) { const email: string = user.email; void email }',
      'for await (const event of w.events.list()) if (event.type === "user.created") { const id: string = event.data.id; void id }',
      'for await (const event of w.events.list()) {',
      '  if (event.type === "user.created") { const id: string = event.data.id; void id }',
      '  // @ts-expect-error: a type that does not exist',
      '  if (event.type === "user.invented") void event',
      '}',
      'function isListed(event: UnlistedEvent): AnyEvent { return event }',
      'void isListed',
      'const { data, response } = await w.organizations.get("id").withResponse()',
      'void [data.subOrganization.id, response.headers]',
      '// @ts-expect-error: a field that does not exist',
      'void w.users.create({ email: "a@b.test", nickname: "A" })',
      '// @ts-expect-error: a field that is missing',
      'void w.users.create({})',
      '// @ts-expect-error: a token to revoke',
      'void w.tokens.revoke()',
      '// @ts-expect-error: a proof',
      'void w.forUser("token").me.stepUp.verify()',
      '// @ts-expect-error: users',
      'void w.users.createMany()',
      '// @ts-expect-error: a change',
      'void w.users.update("id")',
      'void w.forUser("token").me.stepUp.start()',
      'const entry = await w.login.otp.verify({ email: "a@b.test", otp_id: "i", code: "1" })',
      'if (entry.session) { const token: string = entry.session.access_token; const none: undefined = entry.challenge_token; void [token, none] }',
      'else if (entry.challenge_token) { const methods: string[] = entry.methods; const to: string | null = entry.sub_org_id; void [methods, to] }',
      'else if (entry.discovery_token) { const [one] = entry.organizations; void one?.subOrgId }',
      'else if (entry.sign_in_required) { const again: true = entry.sign_in_required; void again }',
      '// @ts-expect-error: a method that does not exist',
      'if (entry.methods?.includes("carrier_pigeon")) throw entry',
      'declare const event: DeliveredEvent',
      '// @ts-expect-error: the event may be truncated',
      'if (event.type === "user.created") void event.data.email',
      'if (event.truncated) { const id: string | undefined = event.data.id; void id }',
      'else if (event.type === "user.created") { const email: string = event.data.email; void email }',
      '// @ts-expect-error: an operation that no user calls',
      'void w.forUser("token").users.list()',
    ]
    expect(await complaints('narrowing', lines)).toBe('')
  })
})

/** A value for a parameter. */
function sampleOf(parameter: Record<string, unknown>): string {
  const { enum: values } = partOf(parameter['schema'])
  return Array.isArray(values) ? String(values[0]) : '0198b6f2-7c1a-7d3e-9b42-5a1f0c8e6d21'
}
