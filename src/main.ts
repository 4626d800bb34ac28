import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Stripping the types and compiling everything anew would be most of a start. Not in the temporary directory, Node's
// own choice: others may write there, and this is code we run.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/watchword', import.meta.url)))
const { runProcess } = await import('./run.ts')
await runProcess()
