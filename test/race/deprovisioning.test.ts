import { expect, test } from 'vitest'
import { type Reply, startApp } from '../harness.ts'
import { succeeded } from '../people/factors.ts'
import { newEmail, sessionsIn } from '../people/people.ts'
import { verifyDomain } from '../people/saml-connection.ts'
import { provisioned, type ScimClient, scimCaller } from '../people/scim.ts'
import { mailedCode } from '../people/sign-in.ts'
import { startProcesses } from './processes.ts'

const app = await startApp()
const tenant = await app.tenant()
const [ending, entering] = await startProcesses(app, 2)
if (!ending || !entering) throw new Error('No processes')
const way = entering.as(tenant.key)
const client = await provisioned(app, tenant)
const { subOrgId } = client
const off = scimCaller(ending, client.token)
await verifyDomain(app, tenant, subOrgId, 'example.com')
const PASSWORD = 'correct horse battery staple'

interface Person {
  id: string
  email: string
}

async function newPerson(): Promise<Person> {
  const email = newEmail()
  const made = await client.call('POST', '/Users', { userName: email, externalId: email })
  expect(made.status, made.text).toBe(201)
  expect((await tenant.put(`/v1/users/${made.body.id}/password`, { subOrgId, password: PASSWORD })).status).toBe(200)
  return { id: made.body.id, email }
}

const issued = async (path: string, body: object): Promise<string> => {
  const { url } = succeeded(await tenant.post(path, { subOrgId, deliver: false, ...body }))
  return new URL(url).searchParams.get('token_hash') ?? ''
}

/** What is prepared while the user may still come in; each is asked of one process while another shuts the user out. */
const ways: Record<string, (person: Person) => Promise<() => Promise<Reply>>> = {
  'a password': async ({ email }) => {
    return () => way.post('/v1/auth/login/password', { subOrgId, email, password: PASSWORD })
  },
  'a mailed code': async ({ email }) => {
    const { otp_id } = succeeded(await tenant.post('/v1/auth/login/otp/send', { subOrgId, email }))
    const code = await mailedCode(app, email)
    return () => way.post('/v1/auth/login/otp/verify', { subOrgId, email, otp_id, code })
  },
  'a magic link': async ({ email }) => {
    const token_hash = await issued('/v1/auth/login/magic-link/send', { email })
    return () => way.post('/v1/auth/login/magic-link/verify', { subOrgId, email, token_hash })
  },
  'a refresh': async ({ email }) => {
    const { session } = succeeded(await way.post('/v1/auth/login/password', { subOrgId, email, password: PASSWORD }))
    return () => way.post('/v1/auth/token/refresh', { subOrgId, refresh_token: session.refresh_token })
  },
  'a reset of the password': async ({ email }) => {
    const token_hash = await issued('/v1/auth/password/reset/send', { email })
    const password = 'another sentence entirely'
    return () => way.post('/v1/auth/password/reset/confirm', { subOrgId, email, token_hash, password })
  },
}

const set = (active: boolean) => ({ Operations: [{ op: 'Replace', path: 'active', value: active }] })

const ends: Record<string, (id: string, userName: string) => ReturnType<ScimClient['call']>> = {
  PATCH: (id) => off('PATCH', `/Users/${id}`, set(false)),
  PUT: (id, userName) => off('PUT', `/Users/${id}`, { userName, externalId: userName, active: false }),
  DELETE: (id) => off('DELETE', `/Users/${id}`),
}

test.each(Object.keys(ways).flatMap((name) => Object.keys(ends).map((end) => [name, end])))(
  'by %s, beside a %s that shuts somebody out, no session survives',
  async (name, end) => {
    for (let round = 0; round < 3; round++) {
      const person = await newPerson()
      const enter = await ways[name]?.(person)
      const leave = () => ends[end]?.(person.id, person.email)
      if (!enter) throw new Error('No way')
      // Either may come first.
      const asked = round % 2 ? [leave(), enter()] : [enter(), leave()]
      const replies = await Promise.all(asked)
      const [entered, left] = round % 2 ? replies.toReversed() : replies
      expect([left?.status, left?.text]).toEqual([end === 'DELETE' ? 204 : 200, left?.text])
      expect(await sessionsIn(tenant, subOrgId)).toEqual([])
      const session = entered?.status === 200 ? entered.body.session : null
      if (session) {
        const { refresh_token, access_token } = session
        const refresh = async () => {
          const { status, body } = await way.post('/v1/auth/token/refresh', { subOrgId, refresh_token })
          return [status, body.code]
        }
        expect(await refresh()).toEqual([403, 'user_inactive'])
        expect((await way.post('/v1/auth/token/introspect', { token: access_token })).body).toEqual({ active: false })
        // Nor does it come back with the user.
        const isBack = end !== 'DELETE'
        if (isBack) expect((await off('PATCH', `/Users/${person.id}`, set(true))).status).toBe(200)
        expect(await refresh()).toEqual(isBack ? [401, 'refresh_token_invalid'] : [403, 'user_inactive'])
      }
      const again = await way.post('/v1/auth/token/introspect', { token: session?.access_token ?? 'none' })
      expect(again.body).toEqual({ active: false })
    }
  },
)
