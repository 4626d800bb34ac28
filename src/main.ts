import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Without a cache, stripping types and compiling would take most of a start. Not in the temporary directory, Node's
// default: others may write there, and this is code we run.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/watchword', import.meta.url)))
const { runProcess } = await import('./run.ts')
await runProcess()
