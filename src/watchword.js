#!/usr/bin/env node
// An older Node cannot read TypeScript at all.
if (Number.parseInt(process.versions.node, 10) < 24) {
  process.stderr.write(
    `Watchword needs Node 24 or later, and this is ${process.versions.node}: install Node 24. In a clone, \`npm start\` brings its own.\n`,
  )
  process.exit(1)
}
await import('./cli.ts')
