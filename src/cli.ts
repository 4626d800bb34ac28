#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/watchword', import.meta.url)))
const { runCli } = await import('./cli/program.ts')
process.exitCode = await runCli(process.argv)
