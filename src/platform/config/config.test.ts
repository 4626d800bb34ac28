import { Resolver } from 'node:dns/promises'
import { expect, test } from 'vitest'
import { ConfigError, parseConfig } from './config.ts'

const BASE = 'https://AC12:to%2Fken@api.twilio.com/2010-04-01/Accounts/AC12/Messages.json'
const sms = (url: string, allow = '') => parseConfig({ WATCHWORD_SMS_URL: url, WATCHWORD_OUTBOUND_ALLOW: allow }).sms

test('reads the SMS provider from its URL', () => {
  const provider = {
    endpoint: 'https://api.twilio.com/2010-04-01/Accounts/AC12/Messages.json',
    username: 'AC12',
    password: 'to/ken',
  }
  expect(parseConfig({}).sms).toBeNull()
  expect(sms(`${BASE}?From=%2B15005550006`)).toEqual({
    ...provider,
    sender: { parameter: 'From', value: '+15005550006' },
  })
  expect(sms(`${BASE}?From=+15005550006`)?.sender.value).toBe('+15005550006')
  expect(sms(`${BASE}?From=Acme%20Inc`)?.sender.value).toBe('Acme Inc')
  expect(sms(`${BASE}?From=72345`)?.sender.value).toBe('72345')
  const service = `MG${'a'.repeat(32)}`
  expect(sms(`${BASE}?MessagingServiceSid=${service}`)?.sender).toEqual({
    parameter: 'MessagingServiceSid',
    value: service,
  })
  const local = 'http://AC12:token@127.0.0.1:8080/Messages.json?From=Acme'
  expect(sms(local, '127.0.0.0/8')?.endpoint).toBe('http://127.0.0.1:8080/Messages.json')
})

test.each([
  ['not a URL', 'api.twilio.com', /starts with https/],
  ['another protocol', 'smtp://AC12:token@example.com?From=Acme', /starts with https/],
  ['http without leave', 'http://AC12:token@example.com/?From=Acme', /not https/],
  ['no credentials', 'https://api.twilio.com/Messages.json?From=Acme', /no credentials/],
  ['no password', 'https://AC12@api.twilio.com/Messages.json?From=Acme', /no credentials/],
  ['a bare % in the password', 'https://AC12:to%ken@api.twilio.com/?From=Acme', /%25/],
  ['no sender', BASE, /no sender/],
  ['two senders', `${BASE}?From=Acme&MessagingServiceSid=MG1`, /no sender/],
  ['another parameter', `${BASE}?from=Acme`, /no sender/],
  ['an empty sender', `${BASE}?From=`, /no sender/],
  ['a sender that is none', `${BASE}?From=%2B1500x`, /no sender/],
])('refuses an SMS URL with %s, without repeating it', (_, url, message) => {
  const refusal = () => sms(url)
  expect(refusal).toThrow(ConfigError)
  expect(refusal).toThrow(message)
  expect(refusal).not.toThrow(/AC12|to%2Fken|token/)
})

test('takes hosts, addresses and CIDRs as exceptions for outbound HTTP, and nothing else', () => {
  const allow = (text: string, env: Record<string, string> = { NODE_ENV: 'test' }) =>
    parseConfig({ WATCHWORD_OUTBOUND_ALLOW: text, ...env }).outboundAllow
  expect(allow('hooks.internal, 10.0.0.0/8 ,::1')).toEqual(['hooks.internal', '10.0.0.0/8', '::1'])
  // Development may also reach programs on its own machine. Production may not.
  expect(allow('hooks.internal', {})).toEqual(['hooks.internal', 'localhost', '127.0.0.0/8', '::1'])
  const production = { NODE_ENV: 'production', WATCHWORD_BASE_URL: 'https://auth.example.com' }
  expect(allow('hooks.internal', production)).toEqual(['hooks.internal'])
  for (const text of ['*', 'https://hooks.internal', '10.0.0.0/40', 'hooks.internal:80', '10.0.0.0/8;::1'])
    expect(() => allow(text)).toThrow(/WATCHWORD_OUTBOUND_ALLOW has/)
})

test('takes addresses and CIDRs as proxies, and nothing else', () => {
  const trust = (text: string) => parseConfig({ WATCHWORD_TRUST_PROXY: text }).trustProxy
  expect(trust('10.0.0.0/8, 192.0.2.1 ,fd00::/8')).toEqual(['10.0.0.0/8', '192.0.2.1', 'fd00::/8'])
  for (const text of ['1', 'true', '10.0.0.0/33', 'fd00::/129', '10.0.0', '10.0.0.1/', 'proxy.internal'])
    expect(() => trust(text)).toThrow(/WATCHWORD_TRUST_PROXY has .+: use addresses or CIDRs/)
})

test('takes the address of one DNS server, with a port if need be, and nothing else', () => {
  const server = (text: string) => parseConfig({ WATCHWORD_DNS_SERVER: text }).dnsServer
  expect(server('')).toBeNull()
  for (const text of ['10.0.0.2', '10.0.0.2:5353', 'fd00::2', '[fd00::2]', '[fd00::2]:5353']) {
    expect(server(text)).toBe(text)
    expect(() => new Resolver().setServers([text])).not.toThrow()
  }
  for (const text of [
    'dns.internal',
    '10.0.0',
    '10.0.0.2:0',
    '10.0.0.2:70000',
    'udp://10.0.0.2',
    '10.0.0.2,10.0.0.3',
    '[10.0.0.2]:53',
  ])
    expect(() => server(text), text).toThrow(/WATCHWORD_DNS_SERVER is/)
})

test('leaves the environment of clients alone, as the guides name it', () => {
  const client = {
    WATCHWORD_URL: 'http://localhost:4100',
    WATCHWORD_KEY: 'ww_live_x',
    WATCHWORD_ISSUER: 'https://a.example',
  }
  expect(parseConfig(client)).toEqual(parseConfig({}))
})

test.each(['prod', 'Production', 'staging', 'dev', 'PRODUCTION'])('refuses the mode %s', (mode) => {
  expect(() => parseConfig({ NODE_ENV: mode })).toThrow(`NODE_ENV is ${mode}: use production or development`)
})

test.each([undefined, '', 'development', 'test'])('the mode %s is development', (mode) => {
  expect(parseConfig({ NODE_ENV: mode }).production).toBe(false)
})

test.each([
  [{ PORT: '99999' }, 'PORT is 99999: use a whole number from 0 to 65535.'],
  [{ WATCHWORD_BASEURL: 'x' }, 'WATCHWORD_BASEURL is not a setting of Watchword: did you mean WATCHWORD_BASE_URL?'],
  [
    { WATCHWORD_TEAPOT: 'x' },
    'WATCHWORD_TEAPOT is not a setting of Watchword: `npx watchword doctor --variables` lists them.',
  ],
  [{ WATCHWORD_SMTP_URL: 'x' }, 'WATCHWORD_SMTP_URL is not a setting of Watchword: did you mean SMTP_URL?'],
  [
    { DATABASE_URL: 'mysql://x' },
    'DATABASE_URL is not a URL that starts with postgres:// or postgresql://: correct it.',
  ],
  [{ NODE_ENV: 'prod' }, 'NODE_ENV is prod: use production or development (or test).'],
])('a wrong setting says what to do: %o', (env, message) => {
  expect(() => parseConfig(env)).toThrow(expect.objectContaining({ name: 'ConfigError', message }))
})
