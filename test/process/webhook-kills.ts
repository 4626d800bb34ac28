import type { ChildProcess } from 'node:child_process'
import { type TestApp, until } from '../harness.ts'
import { startReceiver } from '../peers/webhook-receiver.ts'
import { spawnProgram } from '../programs.ts'

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
    spawnProgram('webhook-worker.ts', [service.databaseUrl, service.masterKeyText], {
      stdio: 'inherit',
      env: process.env,
    })
  for (let n = 0; n < WORKERS; n++) workers.push(start())
  let [made, kills] = [0, 0]
  const making = (async () => {
    for (; made < events; made += AT_ONCE) {
      const users = Array.from({ length: AT_ONCE }, (_, n) => ({ email: `e${made + n}@example.com` }))
      const reply = await tenant.put('/v1/users', { subOrgId: subOrgIds[(made / AT_ONCE) % WEBHOOKS], users })
      if (reply.status !== 200) throw new Error(reply.text)
    }
  })()
  const ids = new Set<unknown>()
  let looked = 0
  /** Waits as long as more arrives. */
  const arrived = async (isEnough: () => boolean) => {
    while (!isEnough()) {
      const before = looked
      const goesOn = async () => {
        for (; looked < receiver.received.length; looked++) ids.add(receiver.received[looked]?.headers['webhook-id'])
        return isEnough() || looked > before + AT_ONCE
      }
      await until(goesOn, 120_000).catch(() => undefined)
      if (looked === before) throw new Error(`Nothing more arrives after ${looked}`)
    }
  }
  try {
    for (let next = everyMany; next < events; next += everyMany) {
      await arrived(() => looked >= next)
      workers.shift()?.kill('SIGKILL')
      workers.push(start())
      kills++
    }
    await making
    await arrived(() => ids.size >= made)
  } finally {
    for (const worker of workers) worker.kill('SIGKILL')
  }
  const users = new Set(receiver.received.map(({ body }) => JSON.parse(body).data.id))
  const duplicates = receiver.received.length - ids.size
  return { events: made, kills, missing: made - users.size, duplicates, renamed: ids.size - users.size }
}
