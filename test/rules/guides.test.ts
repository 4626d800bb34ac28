import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { Settings as OtpSettings } from '../../src/features/sign-in/otp/settings.ts'
import { PasskeySettings } from '../../src/features/sign-in/relying-party/settings.ts'
import { variables } from '../../src/platform/config/config.ts'
import { endReasons } from '../../src/platform/lifecycle/end-reasons.ts'
import { mailKinds } from '../../src/platform/mail/kinds.ts'
import { mailSettings } from '../../src/platform/mail/settings.ts'
import { isAnyCaller } from '../../src/platform/tenancy/authorize.ts'
import { authSettingsFamily } from '../../src/wiring/auth-settings.ts'
import { routes } from '../../src/wiring/routes.ts'
import { blocksOf, unrunBlocksOf } from './guide-blocks.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const files = globSync(['*.md', 'docs/**/*.md', 'examples/*/README.md'], { cwd: root }).sort()
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const proseOf = (file: string) => read(file).replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')

/** The anchors that GitHub gives to the headings of a file. */
function anchorsOf(file: string): string[] {
  const headings = proseOf(file).match(/^#+ .+$/gm) ?? []
  const plain = headings.map((heading) => heading.replace(/^#+ /, '').toLowerCase())
  return plain.map((heading) => heading.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-'))
}

test('the README can be read at one go', () => {
  expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(90)
})

test('every guide starts the service as package.json and the image do', () => {
  const { scripts }: { scripts: { start: string } } = JSON.parse(read('package.json'))
  expect(scripts.start).toMatch(/^node (--\S+ )*src\/main\.js$/)
  const image: string[] = JSON.parse(/^CMD (\[.*\])$/m.exec(read('Dockerfile'))?.[1] ?? '[]')
  expect(image.join(' ')).toBe(scripts.start)
  expect(read('docs/operate/deploy.md')).toContain(`ExecStart=/usr/bin/${scripts.start}\n`)
  const arenas = /MALLOC_ARENA_MAX=\d+/.exec(read('Dockerfile'))?.[0] ?? 'no MALLOC_ARENA_MAX'
  expect(read('docs/operate/deploy.md')).toContain(`Environment=${arenas}\n`)
  expect(read('docs/operate/operations.md')).toContain(`\`${arenas}\``)
  expect(read('docs/operate/operations.md')).toContain(`\`${scripts.start}\``)
})

const RUN_WHOLE = ['sso', 'saml', 'oidc', 'scim']
  .map((guide) => `docs/enterprise/${guide}.md`)
  .concat('docs/directory/invites.md')

test.each(RUN_WHOLE)('every block of %s runs, or is what one prints', (file) => {
  expect(blocksOf(read(file)).length).toBeGreaterThan(1)
  expect(unrunBlocksOf(read(file))).toEqual([])
})

test('a block that does not run is found: of another language, indented, or below text', () => {
  const guide =
    '```bash\necho a\n```\n\n```text\na\n```\n\nText.\n\n```text\nb\n```\n\n```ts\nc\n```\n\n  ```bash\nd\n  ```\n'
  expect(blocksOf(guide)).toEqual([{ code: 'echo a\n', printed: 'a\n' }])
  expect(unrunBlocksOf(guide)).toEqual(['b\n', 'c\n', 'd\n'])
})

test('every link leads to a file that is there, and to a heading in it', () => {
  const broken = files.flatMap((file) => {
    const targets = [...proseOf(file).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
    return targets
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => {
        const [path = '', anchor] = target.split('#')
        const to = path === '' ? file : normalize(join(dirname(file), path))
        return !existsSync(join(root, to)) || (anchor !== undefined && !anchorsOf(to).includes(anchor))
      })
      .map((target) => `${file}: ${target}`)
  })
  expect(files.length).toBeGreaterThan(20)
  expect(broken).toEqual([])
})

test('every alert names a section of a guide', () => {
  const rules = read('docs/operate/alerts.yaml')
  const named = [...rules.matchAll(/^ +guide: "([^"#]+)#([^"]+)"$/gm)].map(([, file = '', anchor = '']) => ({
    file,
    anchor,
  }))
  expect(named).toHaveLength(rules.match(/^ +- alert: /gm)?.length ?? 0)
  expect(
    named.filter(({ file, anchor }) => !existsSync(join(root, file)) || !anchorsOf(file).includes(anchor)),
  ).toEqual([])
})

test('every guide is in the index', () => {
  const index = read('docs/index.md')
  const guides = files.filter((file) => file.startsWith('docs/') && file !== 'docs/index.md')
  expect(guides.filter((file) => !index.includes(`](${file.slice('docs/'.length)})`))).toEqual([])
})

const scopesOfRoutes = routes.flatMap(({ scope }) => (scope === null || isAnyCaller(scope) ? [] : [scope]))

test.each([
  ['docs/sign-in/sessions.md', [...Object.keys(authSettingsFamily.schema.properties), ...endReasons()]],
  ['docs/sign-in/otp.md', Object.keys(OtpSettings.properties)],
  ['docs/sign-in/passkeys.md', Object.keys(PasskeySettings.properties)],
  ['docs/operate/mails.md', [...Object.keys(mailSettings().schema.properties), ...mailKinds()]],
  ['docs/reference/configuration.md', Object.keys(variables)],
  ['docs/reference/api-keys.md', [...new Set(scopesOfRoutes)]],
])('%s has each of what it is about in its tables', (file, names) => {
  const cells = (read(file).match(/^\| *`[^|]+/gm) ?? []).join()
  expect(names.filter((name) => !cells.includes(`\`${name}\``))).toEqual([])
})

test('what CONTRIBUTING.md shows is in the source, word for word', () => {
  const dense = (text: string) => text.replaceAll(/\s+/g, ' ').trim()
  const source = dense(globSync('src/features/**/*.ts', { cwd: root }).map(read).join('\n'))
  const shown = [...read('CONTRIBUTING.md').matchAll(/^ *```ts\n([\s\S]*?)^ *```$/gm)].map(([, code = '']) =>
    dense(code),
  )
  expect(shown.length).toBeGreaterThan(2)
  expect(shown.filter((code) => !source.includes(code))).toEqual([])
})
