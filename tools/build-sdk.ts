import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

/** Builds `packages/sdk/dist`: modules (`esm`) and CommonJS (`cjs`), each with its types. */
const root = fileURLToPath(new URL('..', import.meta.url))
const sdk = join(root, 'packages/sdk')
const out = join(sdk, 'dist')
const ENTRIES = ['index', 'webhooks', 'tokens', 'sessions', 'express', 'fastify', 'hono', 'next', 'fetch']
const FORMATS = { esm: 'module', cjs: 'commonjs' } as const

rmSync(out, { recursive: true, force: true })
const bundle = await rolldown({
  input: Object.fromEntries(ENTRIES.map((name) => [name, join(sdk, 'src', `${name}.ts`)])),
  external: ['jose'],
  platform: 'neutral',
})
for (const [format, type] of Object.entries(FORMATS)) {
  const dir = join(out, format)
  mkdirSync(dir, { recursive: true })
  await bundle.write({
    dir,
    format: format as keyof typeof FORMATS,
    sourcemap: true,
    // The types have them.
    comments: false,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  })
  // Says what `.js` means below, to Node and to the compiler.
  writeFileSync(join(dir, 'package.json'), `${JSON.stringify({ type })}\n`)
}
await bundle.close()

const types = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--rewriteRelativeImportExtensions']
execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', sdk, ...types, '--outDir', join(out, 'esm')], {
  stdio: 'inherit',
})
const declarations = (readdirSync(join(out, 'esm'), { recursive: true }) as string[]).filter((name) =>
  name.endsWith('.d.ts'),
)
for (const name of declarations) {
  const text = readFileSync(join(out, 'esm', name), 'utf8')
  writeFileSync(join(out, 'esm', name), text.replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"))
  mkdirSync(dirname(join(out, 'cjs', name)), { recursive: true })
  copyFileSync(join(out, 'esm', name), join(out, 'cjs', name))
}
