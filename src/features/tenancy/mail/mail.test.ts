import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { startApp, until } from '../../../../test/harness.ts'
import { startSmtpPeer } from '../../../../test/peers/smtp-peer.ts'
import { startWorker, type Worker } from '../../../platform/jobs/worker.ts'
import { mailJobs } from '../../../platform/mail/jobs.ts'
import { mailPlace } from '../../../platform/mail/outbox.ts'
import { findDirectory } from '../../../platform/tenancy/directory.ts'

const peer = await startSmtpPeer({ withoutStarttls: true })
afterAll(() => peer.stop())
const service = await startApp({
  env: { SMTP_URL: `smtp://127.0.0.1:${peer.port}`, WATCHWORD_MAIL_FROM: 'Acme <login@acme.example>' },
})
const owner = await service.tenant()
const NO_SUBJECTS = {
  login_otp: null,
  signup_otp: null,
  single_sign_on: null,
  single_sign_on_no_access: null,
  single_sign_on_unavailable: null,
  step_up_otp: null,
  email_change_otp: null,
  own_email_changed: null,
  new_device: null,
  otp: null,
  magic_link: null,
  password_reset: null,
  invite: null,
  email_verification: null,
  identity_linked: null,
  signup_link: null,
  account_locked: null,
  password_changed: null,
  discovery_otp: null,
  discovery_link: null,
  email_changed: null,
  mfa_enrolled: null,
  mfa_removed: null,
  mfa_locked: null,
  backup_code_used: null,
  impersonation_started: null,
  passkey_registered: null,
  passkey_deleted: null,
  webhook_disabled: null,
}
const DEFAULTS = {
  brand_name: null,
  logo_url: null,
  support_email: null,
  accent_color: null,
  from_name: null,
  from_address: null,
  reply_to: null,
  subjects: NO_SUBJECTS,
}
const GLOBEX = {
  brand_name: 'Globex GmbH',
  logo_url: 'https://cdn.globex.example/logo.png',
  support_email: 'help@globex.example',
  from_address: 'globex@acme.example',
  reply_to: 'office@globex.example',
  subjects: { login_otp: '{brand}: your words' },
}

let worker: Worker | null = null
afterEach(async () => {
  await worker?.stop(5000)
  worker = null
  peer.deliveries.length = 0
})

/** Requests a sign-in code. Returns the mail as it arrives at the mail server. */
async function signInMail(subOrgId: string) {
  const email = `ada-${subOrgId}@example.com`
  await owner.post('/v1/users', { subOrgId, email })
  worker = await startWorker(service.app.platform, mailJobs)
  expect((await owner.post('/v1/auth/login/otp/send', { subOrgId, email })).status).toBe(200)
  return until(async () => peer.deliveries.find(({ to }) => to[0] === email))
}

test('brand, subject and sender reach the mail', async () => {
  const subOrgId = await owner.organization()
  expect((await owner.patch('/v1/mail/settings', { subOrgId, ...GLOBEX })).status).toBe(200)
  const { from, to, email } = await signInMail(subOrgId)
  expect([from, to]).toEqual(['login@acme.example', [`ada-${subOrgId}@example.com`]])
  expect(email).toMatchObject({
    from: { name: 'Globex GmbH', address: 'globex@acme.example' },
    replyTo: [{ address: 'office@globex.example' }],
    subject: 'Globex GmbH: your words',
  })
  expect(email.html).toContain('<img src="https://cdn.globex.example/logo.png" alt="Globex GmbH"')
  expect(email.text).toContain('-- \nGlobex GmbH\nNeed help? Contact help@globex.example\n')
})

test('without settings a mail is the deployment’s', async () => {
  const { email } = await signInMail(await owner.organization())
  expect(email).toMatchObject({ from: { name: 'Acme', address: 'login@acme.example' }, subject: 'Your sign-in code' })
  expect(email.replyTo ?? []).toEqual([])
  expect(email.text).toContain('-- \nWatchword\n')
})

test('subjects change one by one, over those of the account, and null returns them', async () => {
  const subOrgId = await owner.organization()
  const read = async () => (await owner.get(`/v1/mail/settings?effective=true&subOrgId=${subOrgId}`)).body
  expect((await read()).settings).toEqual(DEFAULTS)
  const account = { from_name: 'All', subjects: { otp: 'Code A', invite: 'Invite A' } }
  await owner.patch('/v1/mail/settings/defaults', account)
  const mine = { subjects: { otp: 'Code O', magic_link: 'Link O' } }
  const { body } = await owner.patch('/v1/mail/settings', { subOrgId, ...mine })
  const merged = { ...NO_SUBJECTS, invite: 'Invite A', otp: 'Code O', magic_link: 'Link O' }
  expect(body.settings).toEqual({ ...DEFAULTS, from_name: 'All', subjects: merged })
  expect((await read()).sources).toMatchObject({ from_name: 'account', subjects: 'directory', reply_to: 'default' })
  await owner.patch('/v1/mail/settings', { subOrgId, subjects: { otp: null } })
  expect((await read()).settings.subjects).toEqual({ ...merged, otp: 'Code A' })
  await owner.patch('/v1/mail/settings', { subOrgId, subjects: { password_reset: 'Reset O' } })
  expect((await read()).settings.subjects).toEqual({ ...merged, otp: 'Code A', password_reset: 'Reset O' })
  await owner.patch('/v1/mail/settings', { subOrgId, subjects: null })
  expect((await read()).settings.subjects).toEqual({ ...NO_SUBJECTS, otp: 'Code A', invite: 'Invite A' })
  await owner.patch('/v1/mail/settings/defaults', { from_name: null, subjects: null })
  expect((await read()).settings).toEqual(DEFAULTS)
  const changes = await service.events({ accountId: owner.accountId, type: 'mail.settings.updated' })
  expect(changes.filter(({ organization_id }) => organization_id === subOrgId)[0]).toMatchObject({
    data: mine,
    previous: { subjects: { ...NO_SUBJECTS, otp: 'Code A', invite: 'Invite A' } },
  })
})

test('addresses are kept as they are mailed to', async () => {
  const subOrgId = await owner.organization()
  const given = { support_email: ' Help@BÜCHER.example ', logo_url: 'https://CDN.example.com/a b.png' }
  expect((await owner.patch('/v1/mail/settings', { subOrgId, ...given })).body.settings).toMatchObject({
    support_email: 'Help@xn--bcher-kva.example',
    logo_url: 'https://cdn.example.com/a%20b.png',
  })
})

describe('refuses, and changes nothing', () => {
  test.each([
    [{ from_address: 'ceo@bank.example' }, 'from_address'],
    [{ from_address: 'login@sub.acme.example' }, 'from_address'],
    [{ from_address: 'x@acme.example\r\nBcc: eve@example.org' }, 'from_address'],
    [{ from_address: 'Acme <login@acme.example>' }, 'from_address'],
    [{ reply_to: 'a@b.example, c@d.example' }, 'reply_to'],
    [{ support_email: 'nobody' }, 'support_email'],
    [{ from_name: 'Eve\r\nBcc: eve@example.org' }, 'from_name'],
    [{ from_name: '' }, 'from_name'],
    [{ brand_name: ' ' }, 'brand_name'],
    [{ brand_name: 'Acme\u2028Inc' }, 'brand_name'],
    [{ brand_name: 'a'.repeat(101) }, 'brand_name'],
    [{ logo_url: 'http://cdn.example.com/logo.png' }, 'logo_url'],
    [{ logo_url: 'javascript:alert(1)' }, 'logo_url'],
    [{ logo_url: 'https://user:password@example.com/' }, 'logo_url'],
    [{ logo_url: '' }, 'logo_url'],
    [{ accent_color: 'red' }, 'accent_color'],
    [{ accent_color: '#0b5fff\n' }, 'accent_color'],
    [{ accent_color: '#0b5fff;}body{display:none' }, 'accent_color'],
    [{ subjects: { otp: 'Code\nBcc: eve@example.org' } }, 'subjects.otp'],
    [{ subjects: { otp: 'Your code is {code}' } }, 'subjects.otp'],
    [{ subjects: { otp: 'a'.repeat(151) } }, 'subjects.otp'],
    [{ subjects: { nothing: 'Hello' } }, 'subjects.nothing'],
    [{ subjects: 'Hello' }, 'subjects'],
  ])('%j', async (patch, field) => {
    const subOrgId = await owner.organization()
    const { status, body } = await owner.patch('/v1/mail/settings', { subOrgId, ...patch })
    expect([status, body.code, body.errors[0].field]).toEqual([400, 'invalid_request', field])
    const defaults = await owner.patch('/v1/mail/settings/defaults', patch)
    expect([defaults.status, defaults.body.errors[0].field]).toEqual([400, field])
    expect((await owner.get(`/v1/mail/settings?subOrgId=${subOrgId}`)).body.settings).toEqual(DEFAULTS)
  })

  test('a sender of another domain, saying which one it may be of', async () => {
    const subOrgId = await owner.organization()
    const { body } = await owner.patch('/v1/mail/settings', { subOrgId, from_address: 'ceo@bank.example' })
    expect(body.detail).toContain('from_address must be an address at acme.example')
  })
})

test('an address that nobody has gets a mail of the same making', async () => {
  const subOrgId = await owner.organization()
  await owner.patch('/v1/mail/settings', { subOrgId, ...GLOBEX })
  await owner.post('/v1/users', { subOrgId, email: 'known@example.com' })
  const { platform } = service.app
  for (const email of ['known@example.com', 'other@example.com'])
    await owner.post('/v1/auth/login/otp/send', { subOrgId, email })
  const rows = await platform.db.selectFrom('mail_outbox').selectAll().orderBy('id', 'desc').limit(2).execute()
  const mails = []
  for (const row of rows) {
    const directory = await findDirectory(platform, row.directory_id)
    if (!directory) throw new Error('A mail without a directory')
    mails.push(JSON.parse(await platform.keyring.open(mailPlace(directory, row.id), row.message_sealed)))
  }
  const [unknown, known] = mails
  expect([known.to, known.decoy, unknown.to, unknown.decoy]).toEqual([
    'known@example.com',
    false,
    'other@example.com',
    true,
  ])
  // /dev/mail shows the difference. A test below checks that production does not keep these mails.
  const shape = ({ to, decoy, decoyReason, text, html, ...rest }: typeof known) => {
    const code = text.match(/^[a-z]+ [a-z]+$/m)[0]
    return { ...rest, text: text.replace(code, 'code'), html: html.replace(code, 'code') }
  }
  expect(shape(unknown)).toEqual(shape(known))
})

test('production keeps of no message why it is not sent', async () => {
  const production = await startApp({ env: { NODE_ENV: 'production' } })
  const { platform } = production.app
  const tenant = await production.tenant()
  const subOrgId = await tenant.organization()
  await tenant.post('/v1/users', { subOrgId, email: 'known@example.com' })
  for (const email of ['known@example.com', 'other@example.com'])
    await tenant.post('/v1/auth/login/otp/send', { subOrgId, email })
  const rows = await platform.db.selectFrom('mail_outbox').selectAll().orderBy('id').execute()
  const contents = []
  for (const row of rows) {
    const directory = await findDirectory(platform, row.directory_id)
    if (!directory) throw new Error('A mail without a directory')
    contents.push(JSON.parse(await platform.keyring.open(mailPlace(directory, row.id), row.message_sealed)))
  }
  const [known, unknown] = contents
  expect(contents.map(({ to, decoy }) => [to, decoy])).toEqual([
    ['known@example.com', false],
    ['other@example.com', true],
  ])
  expect(Object.keys(unknown)).toEqual(Object.keys(known))
  expect(JSON.stringify(unknown)).not.toContain('nobody')
})
