import type { Command } from 'commander'
import type { HoldReason } from '../platform/lifecycle/deployment.ts'
import type { Platform } from '../platform/platform.ts'
import { withPlatform } from './deployment.ts'
import { counted, print } from './print.ts'

interface Options {
  json?: boolean
  discard?: boolean
}

const HELP = `
A start holds them in a copy of the database: in a restored dump, after pg_upgrade, in a copy for staging. \`recover\` and
\`outgoing hold\` hold them too. A start does not recognize a restore to a point in time, a disk snapshot or a copy of the data
directory: run \`recover\` or \`outgoing hold\` before it. Requests are answered as always while messages wait. Codes that
expire are not sent.

Examples:
  $ npx watchword outgoing
  $ npx watchword outgoing release
  $ npx watchword outgoing release --discard`

export function addOutgoing(program: Command): void {
  const outgoing = program
    .command('outgoing')
    .description('hold and release mails, text messages and webhooks')
    .addHelpText('after', HELP)
  const add = (name: string, description: string, isDefault = false) =>
    outgoing.command(name, { isDefault }).description(description).option('--json', 'print JSON for scripts')
  add('status', 'show whether messages are held, and how many wait', true).action(showStatus)
  add('hold', 'hold messages until you release them').action(holdMessages)
  add('release', 'end the hold and send waiting messages')
    .option('--discard', 'drop the messages from before the hold, and send only later ones')
    .action(releaseMessages)
}

interface Waiting {
  mails: number
  sms: number
  webhooks: number
}

async function showStatus(options: Options): Promise<void> {
  await withPlatform(async (platform) => {
    const { readDeployment } = await import('../platform/lifecycle/deployment.ts')
    const { hold, isCopy } = await readDeployment(platform.db)
    const waiting = await countWaiting(platform)
    const state = { held: hold !== null, since: hold?.since.toISOString() ?? null, because: hold?.because ?? null }
    print(options, { ...state, waiting }, [
      ...(hold ? [heldLine(hold)] : [isCopy ? COPY : 'Nothing is held.']),
      waitingLine(waiting),
      ...(isCopy || hold?.because === 'copied' ? [RECOVER_FIRST] : []),
    ])
  })
}

const COPY =
  'The database is a restored backup or a copy. The service holds messages from its next start, or within 5 seconds if it runs.'

const RECOVER_FIRST =
  'If you restored a backup, run `npx watchword recover` first. Then release messages with `npx watchword outgoing release`.'

const REASONS: Record<HoldReason, string> = {
  copied: 'the database is a restored backup or a copy',
  recovered: '`recover` ran',
  requested: '`outgoing hold` ran',
}

const heldLine = ({ since, because }: { since: Date; because: HoldReason }) =>
  `Held since ${since.toISOString()}. Reason: ${REASONS[because]}.`

const waitingLine = (waiting: Waiting) => `Waiting: ${waitingText(waiting)}.`

const waitingText = ({ mails, sms, webhooks }: Waiting) =>
  [counted(mails, 'mail'), counted(sms, 'text message'), counted(webhooks, 'webhook delivery')].join(', ')

async function countWaiting(platform: Platform): Promise<Waiting> {
  const { mailDelivery, smsDelivery, countPendingDeliveries } = await loadChannels()
  return {
    mails: await mailDelivery.countWaiting(platform),
    sms: await smsDelivery.countWaiting(platform),
    webhooks: await countPendingDeliveries(platform.db),
  }
}

async function loadChannels() {
  const [{ mailDelivery }, { smsDelivery }, { countPendingDeliveries, discardDeliveries }, { skipEarlierEvents }] =
    await Promise.all([
      import('../platform/mail/jobs.ts'),
      import('../platform/sms/jobs.ts'),
      import('../features/records/deliveries/delivery-store.ts'),
      import('../features/records/webhooks/webhooks.ts'),
    ])
  return { mailDelivery, smsDelivery, countPendingDeliveries, discardDeliveries, skipEarlierEvents }
}

async function holdMessages(options: Options): Promise<void> {
  await withPlatform(async (platform) => {
    const { holdOutgoing } = await import('../platform/lifecycle/deployment.ts')
    await platform.tx((tx) => holdOutgoing(platform, tx, 'requested'))
    print(options, { held: true }, ['Mails, text messages and webhooks are held, in every process within 5 seconds.'])
  })
}

async function releaseMessages(options: Options): Promise<void> {
  await withPlatform(async (platform) => {
    const { endHold, readDeployment } = await import('../platform/lifecycle/deployment.ts')
    const { hold, isCopy } = await readDeployment(platform.db)
    if (!hold && !isCopy) return print(options, { released: false, discarded: null }, ['Nothing is held.'])
    const discarded = options.discard ? await discardBefore(platform, hold?.since ?? platform.clock.now()) : null
    await platform.tx((tx) => endHold(platform, tx))
    const { mailDelivery, smsDelivery } = await loadChannels()
    const sending = { mails: await mailDelivery.resume(platform), sms: await smsDelivery.resume(platform) }
    print(options, { released: true, discarded, sending }, [
      ...(discarded ? [`Discarded from before the hold: ${waitingText(discarded)}.`] : []),
      `Released. Sending ${counted(sending.mails, 'mail')} and ${counted(sending.sms, 'text message')}; webhooks resume.`,
    ])
  })
}

const BATCH = 1000

async function discardBefore(platform: Platform, since: Date): Promise<Waiting> {
  const { mailDelivery, smsDelivery, discardDeliveries, skipEarlierEvents } = await loadChannels()
  // Done first. Otherwise an event that is put into a delivery queue meanwhile would stay there.
  await skipEarlierEvents(platform, since)
  let webhooks = 0
  const directories = await platform.db.selectFrom('webhooks').select('directory_id as id').distinct().execute()
  for (const { id } of directories) webhooks += await discardDeliveries(platform.db, id, since, BATCH)
  return {
    mails: await mailDelivery.discard(platform, since),
    sms: await smsDelivery.discard(platform, since),
    webhooks,
  }
}
