import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type TestApp, until } from '../harness.ts'
import { startReceiver } from '../webhook-receiver.ts'

const PROGRAM = fileURLToPath(new URL('webhook-worker.ts', import.meta.url))
export const WEBHOOKS = 16
const [AT_ONCE, WORKERS] = [500, 2]

/** What arrived of so many events, while processes that sent them were killed. */
export interface Arrived {
  events: number
  kills: number
  missing: number
  duplicates: number
  /** Events whose copies came under several ids. */
  renamed: number
}

/** Makes events, has them sent by processes of which one is killed again and again, and counts what arrives. */
export async function killWhileSending(service: TestApp, events: number, everyMany: number): Promise<Arrived> {
  const tenant = await service.tenant()
  const receiver = await startReceiver()
  const subOrgIds: string[] = []
  for (let n = 0; n < WEBHOOKS; n++) {
    const subOrgId = await tenant.organization()
    const body = { subOrgId, name: 'A', url: `${receiver.url}/`, events: ['user.created'] }
    const { status, text } = await tenant.post('/v1/webhooks', body)
    if (status !== 200) throw new Error(text)
    subOrgIds.push(subOrgId)
  }
  const workers: ChildProcess[] = []
  const start = () =>
    spawn(process.execPath, [PROGRAM, service.databaseUrl, service.masterKeyText], { stdio: 'inherit' })
  for (let n = 0; n < WORKERS; n++) workers.push(start())
  let [made, kills] = [0, 0]
  const making = (async () => {
    for (; made < events; made += AT_ONCE) {
      const users = Array.from({ length: AT_ONCE }, (_, n) => ({ email: `e${made + n}@example.com` }))
      const reply = await tenant.put('/v1/users', { subOrgId: subOrgIds[(made / AT_ONCE) % WEBHOOKS], users })
      if (reply.status !== 200) throw new Error(reply.text)
    }
  })()
  const ids = () => new Set(receiver.received.map(({ headers }) => headers['webhook-id']))
  try {
    for (let next = everyMany; next < events; next += everyMany) {
      await until(async () => receiver.received.length >= next, 120_000)
      workers.shift()?.kill('SIGKILL')
      workers.push(start())
      kills++
    }
    await making
    await until(async () => ids().size >= made, 120_000)
  } finally {
    for (const worker of workers) worker.kill('SIGKILL')
  }
  const [all, users] = [ids(), new Set(receiver.received.map(({ body }) => JSON.parse(body).data.id))]
  const duplicates = receiver.received.length - all.size
  return { events: made, kills, missing: made - users.size, duplicates, renamed: all.size - users.size }
}
