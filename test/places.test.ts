import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readSources } from './source.ts'

/** Words of URLs that name another folder than their own, as `ARCHITECTURE.md` says. The longer one counts. */
const OTHER_WORDS: Record<string, string> = {
  auth: 'login',
  logout: 'tokens',
  jwks: 'tokens',
  '.well-known': 'tokens',
  '.well-known/webauthn': 'relying-party',
  'passkey/settings': 'relying-party',
  webauthn: 'passkeys',
  totp: 'factors',
  sms: 'factors',
  email: 'email-verification',
  'verify/resend': 'email-verification',
  'email/undo': 'me',
  'oidc/logout': 'oidc',
  'oidc/jwks': 'oidc',
  'audit/events': 'audit',
  'audit/export': 'audit',
  'mfa/trusted-devices': 'mfa',
  identities: 'federation',
  unlock: 'lockout',
  lock: 'lockout',
  impersonate: 'impersonation',
  'auth/link': 'hosted',
  'organization-apps': 'services',
  'members/invites': 'members',
  'rbac/users': 'roles',
  'rbac/members': 'roles',
  rbac: 'roles',
  '/v1/generate': 'otp',
  '/v1/validate': 'otp',
  'openapi.json': 'docs',
  'scim/openapi.json': 'docs',
  'v2/Users': 'provisioning',
  'v2/Groups': 'groups',
  'v2/Bulk': 'bulk',
  'v2/.search': 'bulk',
  'scim/logs/{id}/replay': 'bulk',
}

/** Below these the words that follow say nothing. */
const WHOLE = ['signup', 'discovery', 'docs', '.well-known', 'me']

const sources = readSources('src').filter(({ path }) => !path.endsWith('.test.ts'))
const folderOf = (path: string) => /^src\/features\/([^/]+)\//.exec(path)?.[1]
const folders = [...new Set(sources.flatMap(({ path }) => folderOf(path) ?? []))]

/** The same for a word and its plural. */
const singular = (word: string) => word.replace(/s$/, '')

/** The folder that a word of a URL names by itself, or by its last part, as `magic-link` does. */
function named(word: string): string | undefined {
  const nouns = [word, word.split('-').at(-1) ?? ''].map(singular)
  return folders.find((folder) => nouns.includes(singular(folder)))
}

function toldBy(url: string): string | undefined {
  const words = url.split('/').filter((word) => word !== 'v1' && word !== '' && !word.startsWith('{'))
  const isIn = (phrase: string) => (phrase.startsWith('/') ? url === phrase : `${url}/`.includes(`/${phrase}/`))
  const phrase = Object.keys(OTHER_WORDS).find((phrase) => phrase.includes('/') && isIn(phrase))
  if (phrase !== undefined) return OTHER_WORDS[phrase]
  const whole = WHOLE.find((word) => words.includes(word))
  if (whole !== undefined) return OTHER_WORDS[whole] ?? whole
  return words.map((word) => OTHER_WORDS[word] ?? named(word)).findLast((folder) => folder !== undefined)
}

const urls = sources.flatMap(({ path, text }) => {
  const literals = [...text.matchAll(/(?:path:|aliases:)\s*(\[[^\]]*\]|'[^']+')/g)]
  return literals.flatMap(([, list = '']) =>
    [...list.matchAll(/'(\/[^']+)'/g)].map(([, url = '']) => ({ url, folder: folderOf(path) })),
  )
})

test('a route’s folder is told by its URL', () => {
  const known = urls.filter(({ folder }) => folder !== undefined && folder !== 'health')
  expect(known.length).toBeGreaterThan(60)
  const wrong = known.filter(({ url, folder }) => toldBy(url) !== folder)
  expect(wrong.map(({ url, folder }) => `${url} is in ${folder}, and tells of ${toldBy(url)}`)).toEqual([])
})

test('what a URL does not tell is said, and there is nothing else to say', () => {
  const text = readFileSync(new URL('../ARCHITECTURE.md', import.meta.url), 'utf8')
  const section = text.slice(text.indexOf('## Finding the place'))
  expect(Object.keys(OTHER_WORDS).filter((word) => !section.includes(`${word}\``))).toEqual([])
  const parts = urls.flatMap(({ url }) => url)
  const used = Object.keys(OTHER_WORDS).filter((word) =>
    parts.some((url) => `${url}/`.includes(`${word}/`) || url.includes(word)),
  )
  expect(used).toEqual(Object.keys(OTHER_WORDS))
})

test('no noun has two folders', () => {
  const nounsOf = (folder: string) => [folder, ...folder.split('-')].map(singular)
  const twice = folders.filter((folder) =>
    folders.some((other) => other !== folder && nounsOf(other).includes(singular(folder))),
  )
  expect(folders.length).toBeGreaterThan(15)
  expect(twice).toEqual([])
})
