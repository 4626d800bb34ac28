import type { Command } from 'commander'
import { rewrapDataKeys } from '../platform/crypto/keyring.ts'
import { withPlatform } from './deployment.ts'
import { note, print } from './print.ts'

const HELP = `
How to replace the master key without downtime:
  1. Create one with \`openssl rand -base64 32\`, and keep a copy in a safe place.
  2. Set WATCHWORD_MASTER_KEY=<new>,<old> everywhere and restart every process.
  3. $ npx watchword master-key rotate
  4. Set WATCHWORD_MASTER_KEY=<new> and restart.
Step 3 may be repeated, and continues where it was stopped.`

export function addMasterKey(program: Command): void {
  program
    .command('master-key')
    .description('replace the master key')
    .command('rotate')
    .description('wrap every data key with the first key of WATCHWORD_MASTER_KEY')
    .option('--json', 'print JSON for scripts')
    .addHelpText('after', HELP)
    .action(rotate)
}

async function rotate(options: { json?: boolean }): Promise<void> {
  await withPlatform(async (platform, masterKeys) => {
    const wrapped = await rewrapDataKeys(platform.db, masterKeys, (done) => note(`Wrapped ${done} data keys`))
    const [writing, ...older] = masterKeys
    print(options, { masterKeyId: writing?.id, wrapped, removable: older.map((key) => key.id) }, [
      wrapped > 0
        ? `Wrapped ${wrapped} data keys with master key ${writing?.id}.`
        : `Every data key is already wrapped with master key ${writing?.id}.`,
      older.length > 0
        ? `Once every process has it as its first key, remove the others: ${older.map((key) => key.id).join(', ')}.`
        : 'No other master key is set. To replace this one, see `npx watchword master-key rotate --help`.',
    ])
  })
}
