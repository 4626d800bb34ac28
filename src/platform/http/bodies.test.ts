import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { startApp } from '../../../test/harness.ts'
import { newEmail } from '../../../test/people/people.ts'
import { signedInUser } from '../../../test/people/sign-in.ts'
import { bearing } from '../../../test/walkers/own-world.ts'

const app = await startApp()
const tenant = await app.tenant()
const subOrgId = await tenant.organization()

const codesOf = (reply: { body: { errors?: { code: string }[] } }) => reply.body.errors?.map(({ code }) => code)

async function usersIn(): Promise<unknown[]> {
  return (await tenant.get(`/v1/users?subOrgId=${subOrgId}`)).body.users
}

/** Metadata whose innermost value is this many levels below the body. */
function nested(levels: number): string {
  const inside = levels - 1
  return `{"subOrgId":"${subOrgId}","email":"${newEmail()}","metadata":${'{"a":'.repeat(inside)}1${'}'.repeat(inside)}}`
}

test('a route that takes no body refuses one however deep it is', async () => {
  const { session } = await signedInUser(app, tenant, subOrgId, newEmail())
  const me = bearing(app, session.access_token)
  for (const body of ['['.repeat(400_000) + ']'.repeat(400_000), `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`]) {
    const reply = await me.post('/v1/me/passkeys/options', body)
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request'])
  }
})

test('a body is nested as deep as anybody needs, and no deeper', async () => {
  expect((await tenant.post('/v1/users', nested(20))).status).toBe(200)
  const before = (await usersIn()).length
  for (const levels of [21, 30, 5000]) {
    const reply = await tenant.post('/v1/users', nested(levels))
    expect([levels, reply.status, codesOf(reply)]).toEqual([levels, 400, ['depth']])
  }
  const lists = `{"users":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  // A refused row does not affect the other rows.
  const { body } = await tenant.put(`/v1/users?subOrgId=${subOrgId}`, lists)
  expect([body.created, body.failed.length]).toEqual([[], 1])
  expect(await usersIn()).toHaveLength(before)
})

test('what is no text is refused wherever it stands: in values, keys and the query', async () => {
  const before = (await usersIn()).length
  for (const text of ['\\u0000', 'a\\u0000b', '\\ud800', '\\udc00x']) {
    for (const body of [
      `{"email":"${newEmail()}","firstName":"${text}"}`,
      `{"email":"${newEmail()}","metadata":{"a":["${text}"]}}`,
      `{"email":"${newEmail()}","metadata":{"${text}":1}}`,
    ]) {
      const reply = await tenant.post(`/v1/users?subOrgId=${subOrgId}`, body)
      expect([body, reply.status, codesOf(reply)]).toEqual([body, 400, ['encoding']])
    }
  }
  const reply = await tenant.get(`/v1/users?subOrgId=${subOrgId}&q=a%00`)
  expect([reply.status, codesOf(reply)]).toEqual([400, ['encoding']])
  expect(await usersIn()).toHaveLength(before)
})

/** Sends a body without announcing its length, and returns the status. */
function statusInParts(text: string): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  const headers = { 'x-api-key': tenant.key, 'content-type': 'application/json' }
  const sent = request(`${app.baseUrl}/v1/users`, { method: 'POST', headers })
  sent.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject)
  sent.write(text.slice(0, 1000))
  sent.end(text.slice(1000))
  return promise
}

test('a body has a size, which no length that is told or kept silent changes', async () => {
  const large = JSON.stringify({ subOrgId, email: newEmail(), metadata: { a: 'x'.repeat(1024 * 1024) } })
  const whole = await tenant.post('/v1/users', large)
  expect([whole.status, whole.body.code]).toEqual([413, 'payload_too_large'])
  expect(await statusInParts(large)).toBe(413)
  const form = await fetch(`${app.baseUrl}/auth/link`, {
    method: 'POST',
    body: new URLSearchParams({ token_hash: 'x'.repeat(17 * 1024) }),
  })
  expect([form.status, form.headers.get('content-type')]).toEqual([413, 'text/html; charset=utf-8'])
})

test('what is left of a body that is too large is read away, since a proxy that cannot send it sees no answer', async () => {
  const { hostname, port } = new URL(app.baseUrl)
  const socket = connect(Number(port), hostname).setEncoding('utf8')
  onTestFinished(() => void socket.destroy())
  const ask = (rest: string) => `POST /v1/users HTTP/1.1\r\nhost: a\r\nx-api-key: ${tenant.key}\r\n${rest}`
  const answer = async () => String((await once(socket, 'data'))[0]).slice(0, 12)
  const told = 2 * 1024 * 1024
  socket.write(ask(`content-type: application/json\r\ncontent-length: ${told}\r\n\r\n{`))
  expect(await answer()).toBe('HTTP/1.1 413')
  socket.write('x'.repeat(told - 1))
  socket.write(ask('content-length: 0\r\n\r\n'))
  expect(await answer()).toBe('HTTP/1.1 400')
})

test('an empty object counts as no body where there is nothing to say, and as one at a DELETE', async () => {
  const person = await signedInUser(app, tenant, subOrgId, newEmail())
  const me = bearing(app, person.session.access_token)
  expect((await me.post('/v1/me/passkeys/options', {})).status).toBe(200)
  for (const said of [{ userId: person.userId }, [], 'null', '""'])
    expect((await me.post('/v1/me/passkeys/options', said)).status).toBe(400)
  expect((await me.delete('/v1/me/sessions', {}, {})).status).toBe(400)
})

test('a compressed body is refused as such and not unpacked, whatever it would come to', async () => {
  const before = (await usersIn()).length
  const small = JSON.stringify({ subOrgId, email: newEmail() })
  const bomb = JSON.stringify({ subOrgId, email: newEmail(), metadata: { a: ' '.repeat(50_000_000) } })
  for (const [encoding, packed] of [
    // The header alone is wrong, because the body itself could be read.
    ['gzip', Buffer.from(small)],
    ['identity, gzip', gzipSync(small)],
    ['gzip', gzipSync(small)],
    ['gzip', gzipSync(bomb)],
    ['br', brotliCompressSync(small)],
  ] as const) {
    const reply = await fetch(`${app.baseUrl}/v1/users`, {
      method: 'POST',
      headers: { 'x-api-key': tenant.key, 'content-type': 'application/json', 'content-encoding': encoding },
      body: new Uint8Array(packed),
    })
    const { code } = JSON.parse(await reply.text())
    expect([reply.status, code]).toEqual([415, 'unsupported_media_type'])
  }
  expect(await usersIn()).toHaveLength(before)
})

test('who can read no JSON is refused before anything is done', async () => {
  const before = (await usersIn()).length
  const create = (accept: string) => tenant.post('/v1/users', { subOrgId, email: newEmail() }, { accept })
  for (const accept of ['text/html', 'application/xml', 'image/*, text/*;q=0.5', 'application/scim+json']) {
    const reply = await create(accept)
    expect([accept, reply.status, reply.body.code]).toEqual([accept, 406, 'not_acceptable'])
    expect(reply.headers.get('content-type')).toBe('application/problem+json')
  }
  expect(await usersIn()).toHaveLength(before)
  for (const accept of ['*/*', 'application/*', 'text/html, application/json;q=0.1', 'application/problem+json'])
    expect([accept, (await create(accept)).status]).toEqual([accept, 200])
  // Load balancers may send any Accept header.
  expect((await app.as(null).get('/healthz', { accept: 'text/html' })).status).toBe(200)
})
