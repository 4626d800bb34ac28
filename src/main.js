import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Plain JavaScript: to read TypeScript, Node loads a compiler that holds 15 MiB for good. All other files come from the
// cache, which also spares compiling them, most of a start. It is not in the temporary directory, Node's default: others
// may write there, and this is code we run.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/watchword', import.meta.url)))
const { runProcess } = await import('./run.ts')
await runProcess()
