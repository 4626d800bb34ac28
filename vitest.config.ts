import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { WaitingBetween } from './test/order.ts'

// What the service has compiled is compiled here as well: one cache for both. What test/programs.ts puts together has its own.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/watchword')

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'packages/*/test/**/*.test.ts'],
    globalSetup: ['test/database.ts'],
    setupFiles: ['test/rules/sql-watch.ts'],
    pool: 'forks',
    // To load the application anew for each file was a third of the work: files share a process, which they leave as it was.
    isolate: false,
    // Node loads the files itself, as it does the service's: to transform them was half of what a small run takes.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // A file waits for PostgreSQL, and for processes of its own, for a good part of its time.
    maxWorkers: 4,
    sequence: { sequencer: WaitingBetween },
    // Against what hangs. A busy machine is no failure.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
  },
})
