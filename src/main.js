import module from 'node:module'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'

// An older Node cannot read TypeScript at all; `npm start` runs the one that npm has installed.
if (Number.parseInt(process.versions.node, 10) < 24) {
  process.stderr.write(
    `Watchword needs Node 24 or later, and this is ${process.versions.node}: run \`npm start\`, which brings its own.\n`,
  )
  process.exit(1)
}

// Plain JavaScript: to read TypeScript, Node loads a compiler that holds 15 MiB for good. All other files come from the
// cache, which also spares compiling them, most of a start. It is not in the temporary directory, Node's default: others
// may write there, and this is code we run.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/watchword', import.meta.url)))
const { runProcess } = await import('./run.ts')
await runProcess()

// Not on the command line: the cache is of the flags that V8 had when it was loaded, and so is the compiled code that Node
// brings along.

// V8 lets the heap grow to four times what is alive before it collects, and holds that for as long as there is load, and
// minutes longer; twice is enough here.
setFlagsFromString('--heap-growing-percent=100')
// Eight seconds after a load V8 would collect twice and discard compiled code: the next requests would compile it again.
setFlagsFromString('--no-memory-reducer')
// Nothing of a request is long-lived, though in a burst it looks so to V8: made among what lives long, it would keep all that
// it refers to until the next full collection.
setFlagsFromString('--no-allocation-site-pretenuring')
