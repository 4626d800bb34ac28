#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/watchword', import.meta.url)))
// If a reader such as `head` ends early, the command still runs to its end and keeps its exit code.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})
const { runCli } = await import('./cli/program.ts')
process.exitCode = await runCli(process.argv)
