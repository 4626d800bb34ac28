import { expect, test } from 'vitest'
import { startApp } from '../../../../../test/harness.ts'
import {
  APPLICATION,
  person,
  RULES,
  said,
  signInAs,
  workOfOrganization,
} from '../../../../../test/people/federation.ts'
import { newEmail } from '../../../../../test/people/people.ts'
import { completeFederated } from '../complete/complete.ts'
import { takeLogout } from '../logout/logout.ts'
import { beginFederated, takeFederated } from './begin.ts'
import { directoryOfToken } from './state.ts'

const app = await startApp()
const tenant = await app.tenant()
const subOrgId = await tenant.organization()
await tenant.get(`/v1/users?subOrgId=${subOrgId}`)
const work = await workOfOrganization(app, subOrgId)
const { platform } = app.app

const input = { method: 'social', source: 'google', redirectUri: APPLICATION, responseMode: 'query' } as const

test('a state is good once, for its own method, until it expires', async () => {
  const { state, nonce, codeVerifier } = await beginFederated(work, input)
  expect([state, nonce, codeVerifier]).toEqual([
    expect.stringMatching(/^[0-9A-Za-z]{76}$/),
    expect.stringMatching(/^[\w-]{43}$/),
    expect.stringMatching(/^[\w-]{43}$/),
  ])
  const taken = await Promise.all(Array.from({ length: 20 }, () => takeFederated(work, state, 'social')))
  const [one, ...more] = taken.filter((each) => each !== null)
  expect(more).toEqual([])
  expect(one?.begun).toMatchObject({ ...input, state, nonce, codeVerifier, openSignup: null, isTest: false })
  expect(one?.work.directory.id).toBe(work.directory.id)
  const other = await beginFederated(work, input)
  // A callback of another kind does not use it up either.
  expect([await takeFederated(work, other.state, 'sso'), await takeLogout(work, other.state)]).toEqual([null, null])
  expect((await takeFederated(work, other.state, 'social'))?.begun.id).toBe(other.id)
  const late = await beginFederated(work, input)
  await app.advance(601)
  expect(await takeFederated(work, late.state, 'social')).toBeNull()
})

test('a made-up state names no directory, whichever character is another', async () => {
  const { state } = await beginFederated(work, input)
  expect(directoryOfToken(platform.keyring, state)).toBe(work.directory.id)
  for (let at = 0; at < state.length; at++) {
    const changed = state.slice(0, at) + (state[at] === 'x' ? 'y' : 'x') + state.slice(at + 1)
    expect(directoryOfToken(platform.keyring, changed)).toBeNull()
  }
  for (const text of ['', state.slice(1), `${state}0`, state.replace(/.$/, '-')])
    expect(directoryOfToken(platform.keyring, text)).toBeNull()
})

test('neither state nor what derives from it is stored', async () => {
  const { state, nonce, codeVerifier } = await beginFederated(work, input)
  const rows = JSON.stringify(await platform.db.selectFrom('federated_sign_ins').selectAll().execute())
  for (const secret of [state, nonce, codeVerifier]) expect(rows).not.toContain(secret)
})

test('a browser comes back to addresses of the list alone, also where one has left it meanwhile', async () => {
  const allow = (uris: string[]) => tenant.patch('/v1/auth/settings', { subOrgId, allowed_redirect_uris: uris })
  await allow(['https://app.example.com/auth'])
  const refused = beginFederated(work, { ...input, redirectUri: 'https://app.example.com/auth/' })
  await expect(refused).rejects.toMatchObject({ definition: { code: 'invalid_redirect_uri' } })
  const begun = await beginFederated(work, { ...input, redirectUri: 'https://app.example.com/auth' })
  await allow(['https://elsewhere.example.com/auth'])
  const late = completeFederated(work, begun, person({ email: newEmail(), emailVerified: true }), RULES)
  // The message is for a user, who knows nothing of settings.
  const message = expect.stringContaining('was withdrawn')
  await expect(late).rejects.toMatchObject({ definition: { code: 'invalid_redirect_uri' }, message })
  await allow([])
})

test('a code stands for the tokens: once, within a minute, for the organization that it is of', async () => {
  const ada = person({ email: newEmail(), emailVerified: true })
  const bring = () => signInAs(work, ada, RULES, { responseMode: 'code' })
  const first = await bring()
  expect(Object.keys(first).sort()).toEqual(['code', 'from', 'state'])
  const exchange = (code = '', organization = subOrgId) =>
    tenant.post('/v1/auth/token/exchange', { subOrgId: organization, code })
  const other = await tenant.organization()
  expect((await exchange(first['code'], other)).body.code).toBe('code_invalid')
  const answers = await Promise.all(Array.from({ length: 10 }, () => exchange(first['code'])))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(400)])
  const { session } = answers.find(({ status }) => status === 200)?.body ?? {}
  expect(session).toMatchObject({ access_token: expect.any(String), refresh_token: expect.any(String) })
  const stored = JSON.stringify(await platform.db.selectFrom('exchange_codes').select('id').execute())
  expect(stored).toBe('[]')
  const late = await bring()
  await app.advance(61)
  expect((await exchange(late['code'])).body.code).toBe('code_invalid')
  expect((await exchange('x'.repeat(76))).body.code).toBe('code_invalid')
})

test('what our answer says stands in the address once, whatever the application has put there', async () => {
  const redirectUri = 'http://localhost:3000/auth?state=theirs&access_token=theirs&error=theirs'
  const begun = await beginFederated(work, { ...input, redirectUri })
  const ada = person({ email: newEmail(), emailVerified: true })
  const { redirectTo } = await completeFederated(work, begun, ada, RULES)
  expect(new URL(redirectTo).searchParams.getAll('state')).toEqual([begun.state])
  expect(said(redirectTo)['access_token']).not.toBe('theirs')
})
