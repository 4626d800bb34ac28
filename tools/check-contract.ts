import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { partOf } from '../src/platform/openapi/document-parts.ts'
import { breakingChanges } from './contract-breaks.ts'

/**
 * Compares the OpenAPI documents of a folder, by default the repository, with those of the newest release in
 * `releases/<version>`. Exits with 1 on a breaking change that `releases/deliberate-breaks.json` does not list with its
 * reason, and on a listed change that does not occur.
 */
const { argv } = process
const root = argv[2] ?? fileURLToPath(new URL('..', import.meta.url))
const read = (...path: string[]) => partOf(JSON.parse(readFileSync(join(root, ...path), 'utf8')))

const versions = readdirSync(join(root, 'releases')).filter((name) => /^\d+\.\d+\.\d+$/.test(name))
const [newest] = versions.sort((one, other) => other.localeCompare(one, 'en', { numeric: true }))
if (newest === undefined) throw new Error('releases/ has no version to compare with')

const found = ['openapi.json', 'openapi.scim.json'].flatMap((name) =>
  breakingChanges(read('releases', newest, name), read(name)),
)
const reasons = read('releases', 'deliberate-breaks.json')
const unlisted = found.filter((change) => !reasons[change])
const stale = Object.keys(reasons).filter((change) => !found.includes(change))
for (const change of unlisted) console.error(`Breaking change since ${newest}: ${change}`)
for (const change of stale) console.error(`Listed in deliberate-breaks.json, but does not occur: ${change}`)
if (unlisted.length > 0)
  console.error('Keep the contract, or list each change with its reason in releases/deliberate-breaks.json.')
process.exitCode = unlisted.length + stale.length > 0 ? 1 : 0
