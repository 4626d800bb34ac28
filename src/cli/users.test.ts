import { expect, test } from 'vitest'
import { startApp } from '../../test/harness.ts'
import { signIn } from '../../test/people/sign-in.ts'
import { runCommand, settingsOf } from '../../test/process/cli.ts'

const service = await startApp()
const env = settingsOf(service)
const cli = (...args: string[]) => runCommand(env, ...args)

// A key in the account that the command line uses by default.
const api = service.as((await cli('keys', 'create')).stdout.trim())
const organization = async (slug: string): Promise<string> =>
  (await api.post('/v1/organizations', { name: slug, slug })).body.subOrganization.id
const acme = await organization('acme')
const globex = await organization('globex')
const add = async (subOrgId: string, email: string) =>
  (await api.post('/v1/users', { subOrgId, email, displayName: 'Ada' })).body.user
const ada = await add(acme, 'ada@acme.example')
const other = await add(globex, 'ada@acme.example')
await add(acme, 'bob@acme.example')

test('lists and shows organizations', async () => {
  const { json } = await cli('orgs', 'list', '--json')
  expect(json.subOrganizations).toEqual([
    expect.objectContaining({ id: acme, slug: 'acme', userCount: 2 }),
    expect.objectContaining({ id: globex, slug: 'globex', userCount: 1 }),
  ])
  const listed = await cli('orgs', 'list')
  expect(listed.stdout).toMatch(new RegExp(`^ID .*CREATED +ERASED ON\n${acme}  acme +\\S.* +active +2 +20`))
  const shown = await cli('orgs', 'show', 'globex')
  expect([shown.code, shown.stdout]).toEqual([0, expect.stringMatching(new RegExp(`^id +${globex}\\n`))])
  expect(await cli('orgs', 'show', 'nobody')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'There is no organization nobody: use a slug or an id.\n',
  })
})

test('an organization is named by the path of slugs that leads to it', async () => {
  const child = async (subOrgId: string, slug: string): Promise<string> =>
    (await api.post('/v1/organizations', { subOrgId, name: slug, slug })).body.subOrganization.id
  const sales = [await child(acme, 'sales'), await child(globex, 'sales')]
  const shown = await Promise.all(['acme/sales', 'globex/sales'].map((path) => cli('orgs', 'show', path, '--json')))
  expect(shown.map(({ json }) => json.subOrganization.id)).toEqual(sales)
  expect(await cli('orgs', 'show', 'sales')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: "Several organizations are called sales: put the parent's slug before it, as in parent/sales.\n",
  })
  for (const path of ['acme/nobody', 'nobody/sales', 'sales/acme', 'acme/globex', '/sales', 'acme/'])
    expect(await cli('orgs', 'show', path), path).toMatchObject({ code: 1, stdout: '' })
})

test('lists users of an organization, or of all, and says that there are more', async () => {
  const emails = async (...args: string[]) =>
    (await cli('users', 'list', ...args, '--json')).json.users.map((user: { email: string }) => user.email)
  expect(await emails('--org', 'acme')).toEqual(['ada@acme.example', 'bob@acme.example'])
  expect(await emails('--email', 'ada@acme.example')).toHaveLength(2)
  expect(await emails('--env', 'staging')).toEqual([])
  const [first, all] = [await cli('users', 'list', '--limit', '1'), await cli('users', 'list')]
  expect([first.stderr, first.stdout.split('\n').length]).toEqual(['There are more than these 1.\n', 3])
  expect([all.stderr, all.stdout.split('\n').length]).toEqual(['', 5])
  expect((await cli('users', 'list', '--limit', '0')).code).toBe(2)
})

test('shows a user by id or address, where it is clear who is meant', async () => {
  expect((await cli('users', 'show', ada.id, '--json')).json.user).toMatchObject({ id: ada.id, subOrgId: acme })
  expect((await cli('users', 'show', 'ada@acme.example', '--org', 'globex', '--json')).json.user.id).toBe(other.id)
  const refusals = [
    [['ada@acme.example'], 'Several organizations have a user ada@acme.example: say which with --org.'],
    [['zoe@acme.example'], 'There is no user zoe@acme.example: name one by id or email address.'],
    [[ada.id, '--org', 'globex'], 'User not found'],
  ] as const
  for (const [args, line] of refusals)
    expect(await cli('users', 'show', ...args)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(line),
    })
})

test('ends the sessions of one user, and of nobody else', async () => {
  const sessions = [
    await signIn(service, api, acme, 'ada@acme.example'),
    await signIn(service, api, globex, 'ada@acme.example'),
  ]
  const ended = await cli('users', 'end-sessions', ada.id)
  expect([ended.code, ended.stdout]).toEqual([0, 'Ended 1 sessions of ada@acme.example.\n'])
  const isActive = async (token: string): Promise<boolean> =>
    (await api.post('/v1/auth/token/introspect', { token })).body.active
  expect(await Promise.all(sessions.map((session) => isActive(session.access_token)))).toEqual([false, true])
  const { body } = await api.get('/v1/organizations')
  const events = await service.events({ accountId: body.subOrganizations[0].accountId, type: 'session.revoked' })
  expect(events.map(({ actor_type }) => actor_type)).toEqual(['cli'])
})

test('mails the invitation or the verification again, and nothing to who is verified', async () => {
  expect(await cli('users', 'resend', 'bob@acme.example')).toMatchObject({
    stdout: 'The verification is on its way to bob@acme.example.\n',
    stderr: '',
  })
  await api.post('/v1/users/invites', { subOrgId: acme, email: 'carl@acme.example' })
  expect((await cli('users', 'resend', 'carl@acme.example', '--json')).json.sent).toBe('invitation')
  expect((await cli('users', 'resend', ada.id)).stdout).toBe(
    'ada@acme.example is verified: there is nothing to mail.\n',
  )
  const mails = await service.mails()
  expect(mails.filter(({ kind }) => ['invite', 'email_verification'].includes(kind)).map(({ to }) => to)).toEqual([
    'bob@acme.example',
    'carl@acme.example',
    'carl@acme.example',
  ])
})

test('shows that an address is suppressed, and mails it nothing again without saying so', async () => {
  const { user } = (await api.post('/v1/users', { subOrgId: acme, email: 'sue@acme.example' })).body
  await api.post('/v1/mail/bounces', { subOrgId: acme, email: user.email, kind: 'hard' })
  const [suppression] = (await api.get(`/v1/mail/suppressions?subOrgId=${acme}`)).body.suppressions
  expect((await cli('users', 'show', user.id, '--json')).json.email_suppression).toEqual(suppression)
  expect((await cli('users', 'show', user.id)).stdout).toMatch(/^email_suppression +\{.*"reason":"hard_bounce"/m)
  expect(await cli('users', 'resend', user.id)).toMatchObject({
    code: 0,
    stdout: `Nothing is mailed: ${user.email} is suppressed (hard_bounce). Run \`npx watchword mail suppressions clear ${user.email} --org ${acme}\`, then try again.\n`,
  })
  expect((await cli('users', 'resend', user.id, '--json')).json).toEqual({
    ...{ id: user.id, sent: null },
    email_suppression: suppression,
  })
  await api.delete(`/v1/mail/suppressions/${suppression.id}?subOrgId=${acme}`)
  expect((await cli('users', 'show', user.id, '--json')).json.email_suppression).toBeNull()
  await api.post('/v1/mail/bounces', { email: user.email, kind: 'complaint' })
  expect((await cli('users', 'resend', user.id)).stdout).toContain(
    `(complaint). Run \`npx watchword mail suppressions clear ${user.email}\`, then`,
  )
})

test('locks and unlocks a user', async () => {
  const { user } = (await api.post('/v1/users', { subOrgId: acme, email: 'lea@acme.example' })).body
  await signIn(service, api, acme, user.email)
  const statusOf = async () => (await api.get(`/v1/users/${user.id}`)).body.user
  const until = '2099-01-31T12:00:00.000Z'
  const locked = await cli('users', 'lock', user.email, '--reason', 'Stolen', '--until', '2099-01-31T12:00:00Z')
  expect([locked.code, locked.stdout]).toEqual([0, `Locked ${user.email} until ${until}. Ended 1 sessions.\n`])
  expect(await statusOf()).toMatchObject({ status: 'locked', lock: { reason: 'Stolen', until } })
  const unlocked = await cli('users', 'unlock', user.id)
  expect([unlocked.code, unlocked.stdout]).toEqual([0, `Unlocked ${user.email}.\n`])
  expect(await statusOf()).toMatchObject({ status: 'active', lock: null })
  expect((await cli('users', 'unlock', user.id, '--json')).json).toEqual({ id: user.id, unlocked: false })
  expect(await cli('users', 'lock', user.email)).toMatchObject({ code: 2, stderr: expect.stringContaining('--reason') })
  const wrong = await cli('users', 'lock', user.email, '--reason', 'x', '--until', 'soon')
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--until is soon')])
  expect((await statusOf()).status).toBe('active')
})
