import { afterAll, expect, test } from 'vitest'
import { startApp } from '../../test/harness.ts'
import { startSmtpPeer } from '../../test/peers/smtp-peer.ts'
import { succeeded } from '../../test/people/factors.ts'
import { runCommand, settingsOf } from '../../test/process/cli.ts'

const service = await startApp()
const peer = await startSmtpPeer({ withoutStarttls: true })
afterAll(() => peer.stop())
const cli = (...args: string[]) => runCommand(settingsOf(service), 'mail', ...args)
const mailSettings = {
  SMTP_URL: `smtp://127.0.0.1:${peer.port}`,
  WATCHWORD_MAIL_FROM: 'Acme <login@acme.example>',
}

test('a test mail is sent at once, without a database, and the answer of the server printed', async () => {
  const { code, stdout, stderr } = await runCommand(mailSettings, 'mail', 'test', 'ada@acme.com')
  expect([code, stderr]).toEqual([0, ''])
  const [accepted, look] = stdout.split('\n')
  expect(accepted).toMatch(
    new RegExp(`^127\\.0\\.0\\.1:${peer.port} accepted the mail from login@acme\\.example to ada@acme\\.com: 250 `),
  )
  expect(look).toContain('"Test email of Watchword"')
  expect(peer.deliveries).toMatchObject([
    { from: 'login@acme.example', to: ['ada@acme.com'], email: { subject: 'Test email of Watchword' } },
  ])
  const { json } = await runCommand(mailSettings, 'mail', 'test', 'ada@acme.com', '--json')
  expect(json).toEqual({
    server: `127.0.0.1:${peer.port}`,
    from: 'login@acme.example',
    to: 'ada@acme.com',
    answer: expect.stringMatching(/^250 /),
  })
})

test('a test mail that is not accepted is a failure that says why', async () => {
  const refused = async (settings: Record<string, string>, address = 'ada@acme.com') => {
    const { code, stdout, stderr } = await runCommand(settings, 'mail', 'test', address)
    return [code, stdout, stderr]
  }
  peer.answerRecipient = () => '550 5.7.1 Relaying denied'
  const server = `127\\.0\\.0\\.1:${peer.port}`
  expect(await refused(mailSettings)).toEqual([
    ...[1, ''],
    expect.stringMatching(
      new RegExp(`^The mail server ${server} refuses the email: 550 5\\.7\\.1 Relaying denied\\n$`),
    ),
  ])
  peer.answerRecipient = () => null
  expect(await refused({ ...mailSettings, SMTP_URL: 'smtp://127.0.0.1:1' })).toEqual([
    ...[1, ''],
    'The mail server 127.0.0.1:1 refuses the connection: start it, or correct host and port (ECONNREFUSED).\n',
  ])
  expect(await refused({})).toEqual([1, '', 'SMTP_URL is not set: there is no mail server to send through.\n'])
  expect(await refused(mailSettings, 'nobody')).toEqual([2, '', 'nobody is not an email address.\n'])
})

test('lists and clears suppressions, of one organization or all', async () => {
  const api = service.as((await runCommand(settingsOf(service), 'keys', 'create')).stdout.trim())
  const organization = async (slug: string): Promise<string> =>
    succeeded(await api.post('/v1/organizations', { name: slug, slug })).subOrganization.id
  const [acme, globex] = [await organization('acme'), await organization('globex')]
  const [ada, bob] = ['ada@acme.example', 'bob@acme.example']
  for (const body of [{ subOrgId: acme }, { subOrgId: globex }, {}])
    succeeded(await api.post('/v1/mail/bounces', { ...body, email: ada, kind: 'hard' }))
  succeeded(await api.post('/v1/mail/bounces', { subOrgId: acme, email: bob, kind: 'complaint' }))
  const listed = async (...args: string[]) => {
    const { json } = await cli('suppressions', 'list', '--json', ...args)
    return json.suppressions.map((row: { email: string; sub_org_id: string }) => [row.email, row.sub_org_id])
  }
  const all = [...[acme, globex, null].map((id) => [ada, id]), [bob, acme]]
  expect(await listed()).toEqual(all)
  expect(await listed('--org', 'acme')).toEqual([all[0], all[3]])
  expect(await listed('--email', 'BOB@acme.example')).toEqual([all[3]])
  expect(await listed('--env', 'staging')).toEqual([])
  const { stdout } = await cli('suppressions', 'list', '--email', bob)
  expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['EMAIL', 'REASON', 'STATUS', 'SOURCE', 'SINCE', 'UNTIL', 'WITHHELD', 'ORGANIZATION'],
    [bob, 'complaint', 'report', expect.stringMatching(/^20/), 'cleared', '0', acme],
    [''],
  ])

  const one = await cli('suppressions', 'clear', 'ADA@acme.example', '--org', 'globex')
  expect([one.code, one.stdout]).toEqual([0, `Cleared 1 suppression of ADA@acme.example: ${globex}.\n`])
  expect(await listed()).toEqual([all[0], all[2], all[3]])
  const rest = await cli('suppressions', 'clear', ada, '--json')
  expect(rest.json.cleared.map((row: { sub_org_id: string }) => row.sub_org_id)).toEqual([acme, null])
  expect(await listed()).toEqual([all[3]])
  const again = await cli('suppressions', 'clear', ada)
  expect([again.code, again.stdout, again.stderr]).toEqual([1, '', 'ada@acme.example is not suppressed.\n'])
  const { account_id: accountId } = await service.app.platform.db
    .selectFrom('organizations')
    .select('account_id')
    .where('id', '=', acme)
    .executeTakeFirstOrThrow()
  const events = await service.events({ accountId, type: 'mail.suppression_cleared' })
  expect(events.map(({ actor_type, organization_id }) => [actor_type, organization_id])).toEqual([
    ['cli', globex],
    ['cli', acme],
    ['cli', null],
  ])
})
