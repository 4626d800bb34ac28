import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/**
 * Builds `packages/sdk/dist`: modules (`esm`) and CommonJS (`cjs`), each with its types. Does nothing if that is up to date. Processes
 * that run it at once build one after the other, and `dist` is replaced as a whole.
 */
const root = fileURLToPath(new URL('..', import.meta.url))
const sdk = join(root, 'packages/sdk')
const out = join(sdk, 'dist')
// Beside `dist`, since what is in it is in the package. Source maps stay true when a folder beside it is renamed.
const lock = join(sdk, '.dist-lock')
const stamp = join(sdk, '.dist-stamp')
const UNFINISHED = '.dist-build-'
const FORMATS = { esm: 'module', cjs: 'commonjs' } as const

if (!isCurrent()) {
  await takeLock()
  try {
    if (!isCurrent()) await build()
  } finally {
    rmSync(lock, { force: true })
  }
}

async function build(): Promise<void> {
  // What builds that were killed have left. No other build is running: this process has the lock.
  const leftovers = readdirSync(sdk).filter((name) => name.startsWith(UNFINISHED))
  for (const name of leftovers) rmSync(join(sdk, name), { recursive: true, force: true })
  const wanted = hashSources()
  const made = join(sdk, `${UNFINISHED}${process.pid}`)
  await writeBundles(made)
  writeTypes(made)
  rmSync(stamp, { force: true })
  const old = `${made}-old`
  if (existsSync(out)) renameSync(out, old)
  renameSync(made, out)
  writeFileSync(stamp, wanted)
  rmSync(old, { recursive: true, force: true })
  console.log('Built packages/sdk/dist.')
}

function isCurrent(): boolean {
  return existsSync(out) && readStamp() === hashSources()
}

function readStamp(): string | null {
  try {
    return readFileSync(stamp, 'utf8')
  } catch (error) {
    // None yet, or another process is replacing `dist`.
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}

/** A hash of everything that `dist` is made from. */
function hashSources(): string {
  const sources = (readdirSync(join(sdk, 'src'), { recursive: true }) as string[])
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => join('packages/sdk/src', name))
  const others = ['packages/sdk/package.json', 'packages/sdk/tsconfig.json', 'tsconfig.json', 'tools/build-sdk.ts']
  const tools = ['rolldown', 'typescript'].map((name) => `node_modules/${name}/package.json`)
  const hash = createHash('sha256')
  for (const name of [...sources, ...others, ...tools])
    hash.update(`${name}\0${readFileSync(join(root, name), 'utf8')}\0`)
  return hash.digest('hex')
}

/** Waits for the process that is building. Takes over from one that was killed. */
async function takeLock(): Promise<void> {
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' })
      return
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
    if (isAbandoned()) rmSync(lock, { force: true })
    else await sleep(50)
  }
}

function isAbandoned(): boolean {
  try {
    process.kill(Number(readFileSync(lock, 'utf8')), 0)
    return false
  } catch (error) {
    // The process of the lock is gone. Other errors: the lock is gone, or the process belongs to another user.
    return codeOf(error) === 'ESRCH'
  }
}

function codeOf(error: unknown): unknown {
  return Object(error).code
}

async function writeBundles(to: string): Promise<void> {
  const { rolldown } = await import('rolldown')
  const { exports }: { exports: object } = JSON.parse(readFileSync(join(sdk, 'package.json'), 'utf8'))
  const names = Object.keys(exports).map((path) => (path === '.' ? 'index' : path.slice('./'.length)))
  const entries = names.filter((name) => name !== 'package.json')
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map((name) => [name, join(sdk, 'src', `${name}.ts`)])),
    external: ['jose'],
    platform: 'neutral',
  })
  for (const [format, type] of Object.entries(FORMATS)) {
    const dir = join(to, format)
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
}

function writeTypes(to: string): void {
  const types = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--rewriteRelativeImportExtensions']
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', sdk, ...types, '--outDir', join(to, 'esm')], {
    stdio: 'inherit',
  })
  const declarations = (readdirSync(join(to, 'esm'), { recursive: true }) as string[]).filter((name) =>
    name.endsWith('.d.ts'),
  )
  for (const name of declarations) {
    const text = readFileSync(join(to, 'esm', name), 'utf8')
    writeFileSync(join(to, 'esm', name), text.replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"))
    mkdirSync(dirname(join(to, 'cjs', name)), { recursive: true })
    copyFileSync(join(to, 'esm', name), join(to, 'cjs', name))
  }
}
