import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// The peers are not part of the product's own install: they are installed for the first measurement.
const here = fileURLToPath(new URL('.', import.meta.url))
if (!existsSync(new URL('node_modules', import.meta.url))) {
  const { status } = spawnSync('npm', ['ci'], { cwd: here, stdio: ['ignore', process.stderr, 'inherit'] })
  if (status !== 0) throw new Error('npm ci in bench/ failed: see its messages above.')
}
const { runBench } = await import('./src/main.ts')
await runBench(process.argv.slice(2))
