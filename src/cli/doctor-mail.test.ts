import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { startApp } from '../../test/harness.ts'
import { type DnsAnswer, startDnsPeer } from '../../test/peers/dns-peer.ts'
import { startSmtpPeer } from '../../test/peers/smtp-peer.ts'
import { runCommand, settingsOf } from '../../test/process/cli.ts'

const dns = await startDnsPeer()
const smtp = await startSmtpPeer({ withoutStarttls: true })
afterAll(() => smtp.stop())
const settings = {
  ...settingsOf(await startApp()),
  SMTP_URL: `smtp://localhost:${smtp.port}`,
  WATCHWORD_MAIL_FROM: 'Acme <login@mail.acme.co.uk>',
  WATCHWORD_MAIL_DKIM_SELECTOR: 'mail2026',
  WATCHWORD_DNS_SERVER: dns.address,
}
const [SPF, DKIM, DMARC] = ['mail.acme.co.uk', 'mail2026._domainkey.mail.acme.co.uk', '_dmarc.mail.acme.co.uk']
const ABOVE = '_dmarc.acme.co.uk'
const publicKey = (bits: number, type: 'spki' | 'pkcs1' = 'spki') =>
  generateKeyPairSync('rsa', { modulusLength: bits }).publicKey.export({ format: 'der', type }).toString('base64')
const [KEY, SHORT_KEY] = [publicKey(2048), publicKey(1024)]
const [BARE_KEY, SHORT_BARE_KEY] = [publicKey(2048, 'pkcs1'), publicKey(1024, 'pkcs1')]
const one = (text: string | string[]): DnsAnswer => ({ texts: [text] })

beforeEach(() => {
  dns.answers.clear()
  dns.answers.set(SPF, { texts: ['verification=abc', 'v=spf1 include:spf.example -all'] })
  // The form in which providers publish it: an alias, and a key in two strings.
  dns.answers.set(DKIM, {
    texts: [[`v=DKIM1; k=rsa; p=${KEY.slice(0, 200)}`, KEY.slice(200)]],
    alias: 'key.provider.example',
  })
  dns.answers.set(DMARC, one('v=DMARC1; p=reject; rua=mailto:dmarc@acme.co.uk'))
})

async function findings(changed: Record<string, string> = {}) {
  const { code, json } = await runCommand({ ...settings, ...changed }, 'doctor', '--json')
  const all: { check: string; state: string; detail: string }[] = json.findings
  const found = all.filter(({ check }) => ['SPF', 'DKIM', 'DMARC', 'mail domain'].includes(check))
  return { code, found: found.map(({ check, state, detail }) => [check, state, detail] as const) }
}

test('a domain that is set up is fine', async () => {
  const { code, found } = await findings()
  expect(found).toEqual([
    ['SPF', 'ok', 'mail.acme.co.uk has one record.'],
    ['DKIM', 'ok', 'mail2026._domainkey.mail.acme.co.uk has a key.'],
    ['DMARC', 'ok', '_dmarc.mail.acme.co.uk says p=reject.'],
  ])
  expect(code).toBe(0)
})

test.each<[check: string, name: string, answer: DnsAnswer | null, detail: RegExp]>([
  ['SPF', SPF, one('v=spf10 -all'), /^mail\.acme\.co\.uk has no TXT record v=spf1: add/],
  ['SPF', SPF, { texts: ['v=spf1 -all', 'V=SPF1 mx ~all'] }, /has 2 TXT records v=spf1, so none counts: merge/],
  ['SPF', SPF, one('v=spf1 mx +all'), /ends in \+all, which lets every server send/],
  ['SPF', SPF, one('v=spf1 all'), /ends in \+all/],
  ['SPF', SPF, one('v=spf1 mx ?all'), /ends in \?all, which says nothing/],
  ['SPF', SPF, one('v=spf1 -all'), /lets no server send for it: add/],
  ['SPF', SPF, 'servfail', /^The DNS does not answer for the TXT records of mail\.acme\.co\.uk/],
  ['DKIM', DKIM, null, /^mail2026\._domainkey\.mail\.acme\.co\.uk has no key: add/],
  ['DKIM', DKIM, one('v=DKIM1; p='), /is revoked/],
  ['DKIM', DKIM, one('v=DKIM1; p=AAAA'), /cannot be read/],
  ['DKIM', DKIM, one('v=DKIM1; k=ed25519; p=AAAA'), /cannot be read/],
  ['DKIM', DKIM, one(`v=DKIM1; p=${SHORT_KEY}`), /has 1024 bits: use one of 2048/],
  ['DKIM', DKIM, one(`v=DKIM1; p=${SHORT_BARE_KEY}`), /has 1024 bits: use one of 2048/],
  ['DKIM', DKIM, one(['v=DKIM1; p=', BARE_KEY.slice(0, 200), BARE_KEY.slice(200)]), /is an RSAPublicKey \(PKCS #1\)/],
  ['DKIM', DKIM, one(['v=DKIM1; t=s:y; p=', KEY.slice(0, 200), KEY.slice(200)]), /says t=y: other servers may ignore/],
  ['DKIM', DKIM, 'servfail', /^The DNS does not answer/],
  ['DMARC', DMARC, null, /^_dmarc\.mail\.acme\.co\.uk has no TXT record: add one, such as v=DMARC1; p=none/],
  ['DMARC', DMARC, one('v=DMARC1; rua=mailto:a@b.example'), /has no valid policy/],
  ['DMARC', DMARC, { texts: ['v=DMARC1; p=none', 'v=DMARC1; p=reject'] }, /has 2 records, so none counts/],
  ['DMARC', DMARC, 'servfail', /^The DNS does not answer/],
])('%s: %s is a warning where it says %j', async (wanted, name, answer, detail) => {
  if (answer === null) dns.answers.delete(name)
  else dns.answers.set(name, answer)
  const { code, found } = await findings()
  expect(found.map(([check, state]) => [check, state])).toEqual(
    ['SPF', 'DKIM', 'DMARC'].map((check) => [check, check === wanted ? 'warning' : 'ok']),
  )
  expect(found.find(([check]) => check === wanted)?.[2]).toMatch(detail)
  expect(code).toBe(0)
})

test('the policy of the registered domain holds for the domains below it, and p=none is told', async () => {
  dns.answers.delete(DMARC)
  dns.answers.set(ABOVE, one('v=DMARC1; p=none'))
  const { found } = await findings()
  expect(found.at(-1)).toEqual(['DMARC', 'ok', expect.stringMatching(/^_dmarc\.acme\.co\.uk says p=none: forged/)])
  dns.answers.set(ABOVE, one('v=DMARC1; p=reject; sp=none'))
  const below = await findings()
  expect(below.found.at(-1)?.[2]).toMatch(/^_dmarc\.acme\.co\.uk says sp=none: forged/)
})

test('without a selector it says where to find it', async () => {
  const { found } = await findings({ WATCHWORD_MAIL_DKIM_SELECTOR: '' })
  expect(found[1]).toEqual(['DKIM', 'warning', expect.stringMatching(/^Not checked: set WATCHWORD_MAIL_DKIM_SELECTOR/)])
  const wrong = await findings({ WATCHWORD_MAIL_DKIM_SELECTOR: 'a b' })
  expect([wrong.code, wrong.found]).toEqual([
    1,
    [['mail domain', 'warning', 'Not checked: see configuration on WATCHWORD_MAIL_DKIM_SELECTOR.']],
  ])
})

test.each(['acme.test', 'mail.acme.example', 'localhost', 'example.com'])('%s is not looked up', async (domain) => {
  const asked = dns.asked.udp.length
  const { code, found } = await findings({ WATCHWORD_MAIL_FROM: `login@${domain}` })
  const detail = `Not checked: ${domain} is for tests, and no mail server accepts mails from it.`
  expect([code, found]).toEqual([0, [['mail domain', 'ok', detail]]])
  expect(dns.asked.udp).toHaveLength(asked)
})
