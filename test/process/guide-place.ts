import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll } from 'vitest'
import type { TestApp } from '../harness.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The snippets of TypeScript in a guide, in order. */
export function snippetsOf(guide: string): string[] {
  const text = readFileSync(join(root, guide), 'utf8')
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code)
}

/** A directory for programs of the guides, with the SDK, and `watchword.ts` of getting started. */
export async function guidePlace({ baseUrl }: TestApp, key: string) {
  const place = mkdtempSync(join(tmpdir(), 'watchword-guide-'))
  afterAll(() => rmSync(place, { recursive: true }))
  symlinkSync(join(root, 'node_modules'), join(place, 'node_modules'))
  const save = (name: string, code: string) => writeFileSync(join(place, name), code)
  save('package.json', '{"type":"module"}')
  save('watchword.ts', snippetsOf('docs/start/getting-started.md')[0] ?? '')
  await promisify(execFile)(process.execPath, ['tools/build-sdk.ts'], { cwd: root })
  const options = { cwd: place, env: { ...process.env, WATCHWORD_URL: baseUrl, WATCHWORD_KEY: key } }
  /** Runs a program to its end. Returns what it printed. */
  const run = async (name: string, args: string[]) =>
    (await promisify(execFile)(process.execPath, [name, ...args], options)).stdout
  return { options, save, run }
}
