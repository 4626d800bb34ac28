import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

// The snippets of TypeScript in the guides: of getting-started.md each by the name that it is to be saved as.

const root = fileURLToPath(new URL('../..', import.meta.url))
const NAMED = ['watchword.ts', 'try.ts', 'check-token.ts']

const snippets = globSync(['README.md', 'packages/sdk/README.md', 'docs/!(internals)/*.md'], { cwd: root })
  .sort()
  .flatMap((file) => {
    const blocks = [...readFileSync(join(root, file), 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm)]
    const nameOf = (at: number) =>
      file.endsWith('getting-started.md') ? NAMED[at] : `${file.replaceAll(/\W/g, '-')}-${at}.ts`
    return blocks.map(([, code = ''], at) => ({ name: nameOf(at) ?? `${at}.ts`, code }))
  })

test('they compile as strictly as the project', () => {
  const cache = join(root, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const place = mkdtempSync(join(cache, 'guides-'))
  try {
    for (const { name, code } of snippets) writeFileSync(join(place, name), code)
    writeFileSync(
      join(place, 'tsconfig.json'),
      JSON.stringify({ extends: join(root, 'tsconfig.json'), include: ['*.ts'] }),
    )
    const tsc = join(root, 'node_modules/.bin/tsc')
    const { stdout, stderr } = spawnSync(tsc, ['-p', place], { encoding: 'utf8' })
    expect(stdout + stderr).toBe('')
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
  expect(snippets.length).toBeGreaterThan(12)
})

test('none takes for granted that a sign-in has a session: it may have a challenge', () => {
  expect(snippets.filter(({ code }) => /session: (Session|object) \}/.test(code)).map(({ name }) => name)).toEqual([])
})
