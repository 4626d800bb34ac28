// Runs before every npm script, on whatever Node the machine has: brings the packages of package-lock.json, among them
// the Node the project itself runs on. Plain JavaScript, because that older Node cannot read TypeScript.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Why the packages must be installed, or null when those of the lock file are in place. */
function findReason() {
  const wanted = readPackages('package-lock.json')
  // npm's own record of what it has put into node_modules.
  const installed = readPackages('node_modules/.package-lock.json')
  if (!installed) return 'the packages are not installed yet'
  const changed = Object.entries(wanted).filter(([path, { version, optional }]) => {
    if (path === '') return false
    const found = installed[path]
    // Binaries of other platforms are in the lock file and never installed.
    return found ? found.version !== version : !optional
  })
  if (changed.length > 0) return 'package-lock.json has changed'
  return existsSync(`${root}/node_modules/.bin/node`) ? null : 'Node is not installed yet'
}

function readPackages(path) {
  return existsSync(`${root}/${path}`) ? JSON.parse(readFileSync(`${root}/${path}`, 'utf8')).packages : undefined
}

const reason = findReason()
if (reason) {
  process.stderr.write(`Installing: ${reason}.\n`)
  // All output goes to stderr: stdout belongs to the script that is about to run.
  const { status } = spawnSync('npm', ['ci', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  if (status !== 0) {
    process.stderr.write('The packages could not be installed: see above; is the npm registry reachable?\n')
    process.exit(1)
  }
}
