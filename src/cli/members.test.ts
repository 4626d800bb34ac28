import { expect, test } from 'vitest'
import { type Reply, startApp } from '../../test/harness.ts'
import { newEmail } from '../../test/people/people.ts'
import { mailedLink, signIn } from '../../test/people/sign-in.ts'
import { joinedMember, PASSWORD } from '../../test/people/team.ts'
import { runCommand, settingsOf } from '../../test/process/cli.ts'

const service = await startApp()
const env = settingsOf(service)
const cli = (...args: string[]) => runCommand(env, ...args)
const setup = ['--account', 'Acme', '--owner-email', 'ada@acme.example', '--organization', 'First', '--json']
const { accountId } = (await cli('setup', ...setup)).json
const api = service.as((await cli('keys', 'create')).stdout.trim())
const verdict = ({ status, body }: Reply) => [status, body?.code]
const signInAs = (email: string, password: string) =>
  api.post('/v1/auth/login/password', { subOrgId: 'team', email, password })

const submit = async (url: string, password?: string) => {
  const { searchParams } = new URL(url)
  const body = new URLSearchParams(searchParams)
  if (password) body.set('password', password)
  return (await fetch(`${service.baseUrl}/auth/link`, { method: 'POST', body })).status
}
const printed = () => service.events({ accountId, type: 'member.link_printed' })

test('the first owner, who has no password, joins an organization without one', async () => {
  const email = 'ada@acme.example'
  await signIn(service, api, 'team', email)
  const { subOrganizations } = (await api.get('/v1/organizations')).body
  const organization = { name: 'Of one organization', scopes: ['*'], subOrgId: subOrganizations[0].id }
  const key = service.as((await api.post('/v1/api-keys', organization)).body.key)
  expect((await key.post('/v1/members/invites', { email, role: 'member' })).body.member.status).toBe('invited')
  const { token_hash: token } = await mailedLink(service, email, 'invite')
  const accept = (more: object) => api.post('/v1/auth/invite/accept', { subOrgId: 'team', token, ...more })
  expect(verdict(await accept({ password: PASSWORD }))).toEqual([409, 'credential_exists'])
  expect((await accept({})).status).toBe(200)
  expect(verdict(await signInAs(email, PASSWORD))).toEqual([401, 'invalid_credentials'])
  expect((await key.get('/v1/members')).body.members).toMatchObject([{ email, status: 'active' }])
})

test('prints a link by which the first owner chooses a password, records it, and mails nothing', async () => {
  const { json, code } = await cli('members', 'link', 'ada@acme.example', '--json')
  expect([code, json]).toEqual([
    0,
    { membershipId: expect.any(String), email: 'ada@acme.example', purpose: 'password_reset', url: expect.any(String) },
  ])
  expect((await service.mails('ada@acme.example')).filter(({ kind }) => kind === 'password_reset')).toEqual([])
  const { url, ...recorded } = json
  expect(await printed()).toMatchObject([
    { actor_type: 'cli', target_id: json.membershipId, organization_id: null, data: recorded },
  ])
  expect(JSON.stringify(await printed())).not.toContain(new URL(url).searchParams.get('token_hash'))
  expect(await submit(url, PASSWORD)).toBe(200)
  expect((await signInAs('ada@acme.example', PASSWORD)).body.session.access_token).toEqual(expect.any(String))
  expect(await submit(url, PASSWORD)).toBe(400)
})

test('prints only the link on stdout, and a note on stderr', async () => {
  const { stdout, stderr } = await cli('members', 'link', 'ADA@acme.example')
  expect(stdout).toMatch(/^http:\/\/\S+\/auth\/link\?token_hash=\S+\n$/)
  expect(stderr).toContain('member.link_printed')
  expect(stderr).toContain('Links lead to http://localhost:4000.\nThis is the default.')
  const there = await runCommand({ ...env, PORT: '4300' }, 'members', 'link', 'ada@acme.example')
  expect(there.stdout).toMatch(/^http:\/\/localhost:4300\//)
  expect(there.stderr).toContain('Links lead to http://localhost:4300.\n')
  expect(there.stderr).not.toContain('the default')
  // Although the command line printed a link, the API still does not return one.
  const reset = { subOrgId: 'team', email: 'ada@acme.example', deliver: false }
  expect(verdict(await api.post('/v1/auth/password/reset/send', reset))).toEqual([403, 'team_link_withheld'])
})

test('the mail of an invitation names the account', async () => {
  const email = newEmail()
  await api.post('/v1/members/invites', { email, role: 'developer' })
  const [mail] = await service.mails(email)
  expect(mail).toMatchObject({ kind: 'invite', subject: 'You are invited to the team of Acme' })
})

test('prints the link of an invitation, in place of the one that was mailed', async () => {
  const email = newEmail()
  const { member } = (await api.post('/v1/members/invites', { email, role: 'developer' })).body
  const mailed = await mailedLink(service, email, 'invite')
  const { json } = await cli('members', 'link', email, '--json')
  expect(json).toMatchObject({ membershipId: member.membershipId, email, purpose: 'invite' })
  const accept = (url: string) =>
    api.post('/v1/auth/invite/accept', {
      ...{ subOrgId: 'team', password: PASSWORD },
      token: new URL(url).searchParams.get('token_hash'),
    })
  expect(verdict(await accept(mailed.url))).toEqual([400, 'token_invalid'])
  expect((await accept(json.url)).status).toBe(200)
  const { members } = (await api.get('/v1/members')).body
  expect(members.find((each: { email: string }) => each.email === email)).toMatchObject({
    ...{ role: 'developer', status: 'active' },
  })
  expect((await printed()).at(-1)).toMatchObject({ data: { email, purpose: 'invite' } })
})

test('prints links, however many mails the address was sent', async () => {
  const email = 'ada@acme.example'
  const reset = () => api.post('/v1/auth/password/reset/send', { subOrgId: 'team', email })
  while ((await reset()).status !== 429);
  const invited = newEmail()
  const invite = () => api.post('/v1/members/invites', { email: invited, role: 'member' })
  while ((await invite()).status !== 429);
  for (const address of [email, invited]) {
    const { code, stdout, stderr } = await cli('members', 'link', address)
    expect([code, stdout.startsWith('http')], stderr).toEqual([0, true])
  }
  expect([verdict(await reset()), verdict(await invite())]).toEqual([
    [429, 'rate_limited'],
    [429, 'rate_limited'],
  ])
})

test('records the link of a member of one organization there, and finds no other member', async () => {
  const { subOrganizations } = (await api.get('/v1/organizations')).body
  const subOrgId = subOrganizations[0].id
  const { environmentId, key, ...tenant } = await service.tenant()
  const stranger = await joinedMember(service, { ...tenant, environmentId, key }, 'owner')
  const email = newEmail()
  await api.post('/v1/members/invites', { email, role: 'member', subOrgId })
  expect((await cli('members', 'link', email)).code).toBe(0)
  expect((await printed()).at(-1)).toMatchObject({ organization_id: subOrgId, data: { email } })
  const count = (await printed()).length
  for (const unknown of [newEmail(), stranger.email])
    expect(await cli('members', 'link', unknown)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'No member of the team and no invitation has this address.\n',
    })
  expect((await cli('members', 'link', 'nobody')).code).toBe(1)
  expect(await printed()).toHaveLength(count)
})

test('lists members and invitations', async () => {
  const { members } = (await cli('members', 'list', '--json')).json
  expect(members[0]).toEqual({
    ...{ membershipId: expect.any(String), email: 'ada@acme.example', role: 'owner', status: 'active', subOrgId: null },
  })
  const { stdout } = await cli('members', 'list')
  expect(stdout).toMatch(/^ID +EMAIL +ROLE +STATUS +ORGANIZATION\n/)
  expect(stdout.trimEnd().split('\n')).toHaveLength(members.length + 1)
})

test('lists and helps people on rosters of organizations of another environment', async () => {
  const tenant = await service.tenant()
  const staging = await tenant.withKey({ environment: 'staging' })
  const made = await staging.post('/v1/organizations', { name: 'Acme', slug: 'acme' })
  const subOrgId: string = made.body.subOrganization.id
  const active = await joinedMember(service, tenant, 'owner', { subOrgId, by: staging })
  const invited = newEmail()
  await staging.post('/v1/members/invites', { email: invited, role: 'member', subOrgId })
  // First on an organization's roster, and later a member of the account.
  const both = await joinedMember(service, tenant, 'member', { subOrgId, by: staging })
  await tenant.post('/v1/members/invites', { email: both.email, role: 'owner' })
  const account = ['--account', tenant.accountId, '--json']
  const { members } = (await cli('members', 'list', ...account)).json
  expect(members.map((each: { email: string; subOrgId: string | null }) => [each.email, each.subOrgId])).toEqual([
    [active.email, subOrgId],
    [invited, subOrgId],
    [both.email, subOrgId],
    [both.email, null],
  ])
  for (const email of [active.email, invited, both.email])
    expect(await cli('members', 'link', email, ...account)).toMatchObject({ code: 0, json: { email } })
  const recordedIn = async (caller: typeof staging) =>
    (await caller.get('/v1/audit/events?types=member.link_printed')).body.events.map(
      (each: { data: { email: string } }) => each.data.email,
    )
  expect((await recordedIn(staging)).toSorted()).toEqual([active.email, invited].toSorted())
  expect(await recordedIn(tenant)).toEqual([both.email])
  const [ofBoth] = (await tenant.get('/v1/audit/events?types=member.link_printed')).body.events
  const membership = members.find(
    (each: { email: string; subOrgId: string | null }) => each.email === both.email && each.subOrgId === null,
  )
  expect(ofBoth.data.membershipId).toBe(membership.membershipId)
})
