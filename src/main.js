import module from 'node:module'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'

// An older Node cannot read TypeScript at all. `npm start` runs the Node that npm has installed.
if (Number.parseInt(process.versions.node, 10) < 24) {
  process.stderr.write(
    `Watchword needs Node 24 or later, and this is ${process.versions.node}: install Node 24. In a clone, \`npm start\` brings its own.\n`,
  )
  process.exit(1)
}

// V8 reads this limit only when it starts. The space for short-lived objects grows to 16 MiB with it, and to 64 MiB
// without. After 10 s of sign-ins by code at full speed, the process uses 228 MiB of resident memory with it, and 255
// MiB without (2026-11-28, medians of three). The process replaces itself with one that has the option, with the same
// pid and streams, and its workers inherit the option. A process with a channel to its parent, as under `node
// --watch`, would lose the channel, so it runs without the limit.
const LIMIT = '--max-semi-space-size'
const given = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ')
if (process.platform !== 'win32' && process.channel === undefined && !given.includes(LIMIT))
  process.execve?.(
    process.execPath,
    [process.execPath, `${LIMIT}=8`, ...process.execArgv, ...process.argv.slice(1)],
    process.env,
  )

// This file is plain JavaScript, because reading TypeScript makes Node load a compiler that occupies 15 MiB
// permanently. All other files come from the cache, which also avoids compiling them, and compiling is most of a
// start. The cache is not in the temporary directory, Node's default, because others may write there and this is code
// that we run.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/watchword', import.meta.url)))
const { runProcess } = await import('./process/run.ts')
await runProcess()

// These flags are set here instead of on the command line, because the cache of compiled code is valid only for the
// flags that V8 had when the cache was read.

// By default V8 lets the heap grow to four times the live data before it collects. Twice is enough. After each of five
// load tests of 150 s, the process used 234 to 311 MiB of resident memory, and 360 to 363 MiB without the flag
// (2026-11-28). The CPU time of a refresh did not differ: medians of 270 and 267 µs.
setFlagsFromString('--heap-growing-percent=100')
// If many objects of a kind survive a collection, as objects of requests in a burst do, V8 allocates later ones among
// the long-lived objects, and only a full collection frees them there. The flag turns this off and saves 11 % of the
// CPU time of a refresh: 307 µs without it, 272 µs with it (2026-11-28, medians of four alternating rounds, 60,000
// refreshes each).
setFlagsFromString('--no-allocation-site-pretenuring')
