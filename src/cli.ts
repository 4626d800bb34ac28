#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/watchword', import.meta.url)))
// A reader that ends early, such as `head`, ends no command: it does what it was told, and its exit code stays true.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})
const { runCli } = await import('./cli/program.ts')
process.exitCode = await runCli(process.argv)
