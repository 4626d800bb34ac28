import module from 'node:module'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'

// An older Node cannot read TypeScript at all; `npm start` runs the one that npm has installed.
if (Number.parseInt(process.versions.node, 10) < 24) {
  process.stderr.write(
    `Watchword needs Node 24 or later, and this is ${process.versions.node}: install Node 24. In a clone, \`npm start\` brings its own.\n`,
  )
  process.exit(1)
}

// V8 reads this limit only while it starts. With it the space for short-lived objects grows to 16 MiB, without it to 64. With it
// the process has 228 MiB resident after 10 s of codes at full speed, without it 255 (2026-11-28, medians of three). The process
// replaces itself by one that has the option, with the same pid and streams; workers inherit the option. A process with a channel
// to its parent, as under `node --watch`, would lose the channel and runs without the limit.
const LIMIT = '--max-semi-space-size'
const given = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ')
if (process.platform !== 'win32' && process.channel === undefined && !given.includes(LIMIT))
  process.execve?.(
    process.execPath,
    [process.execPath, `${LIMIT}=8`, ...process.execArgv, ...process.argv.slice(1)],
    process.env,
  )

// Plain JavaScript: to read TypeScript, Node loads a compiler that holds 15 MiB for good. All other files come from the
// cache, which also spares compiling them, most of a start. It is not in the temporary directory, Node's default: others
// may write there, and this is code we run.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/watchword', import.meta.url)))
const { runProcess } = await import('./process/run.ts')
await runProcess()

// These flags are set here and not on the command line: the cache of compiled code is valid only for the flags that V8 had when it
// was read.

// V8 lets the heap grow to four times what is alive before it collects; twice is enough. After each of five loads of 150 s the
// process had 234 to 311 MiB resident, and 360 to 363 without the flag (2026-11-28). The CPU time of a refresh did not differ: medians
// of 270 and 267 µs.
setFlagsFromString('--heap-growing-percent=100')
// V8 allocates objects among the long-lived ones if many of their kind survived a collection, as those of requests in a burst do.
// Only a full collection frees them there. The flag saves 11 % of the CPU time of a refresh: 307 µs without it, 272 with it
// (2026-11-28, medians of four rounds in turn, 60,000 refreshes each).
setFlagsFromString('--no-allocation-site-pretenuring')
