import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { caller, until } from '../harness.ts'
import { databasePid } from '../run-directories.ts'
import { makeDataDir, productionSettings, refusedStart, startService, takenPort } from './service.ts'

/** The process ids of the workers of a primary. */
function workersOf(primary: number | undefined): number[] {
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
  return pids.filter(
    (pid) =>
      readText(`/proc/${pid}/status`).includes(`\nPPid:\t${primary}\n`) &&
      readText(`/proc/${pid}/cmdline`).includes('main.js'),
  )
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

test('several processes share one port, are replaced when they die, and end together', async () => {
  const dataDir = makeDataDir()
  const key = 'a-key-for-several-processes-0123456789'
  const settings = { WATCHWORD_DATA_DIR: dataDir, WATCHWORD_BOOTSTRAP_API_KEY: key, WORKERS: '2' }
  const service = await startService(settings, { fromSource: true })
  await service.ready()
  const first = await until(async () => {
    const pids = workersOf(service.child.pid)
    return pids.length === 2 && pids
  })
  const memory = async () =>
    (await (await fetch(`${service.privateUrl}/metrics`)).text()).match(
      /^process_resident_memory_bytes\{worker="[12]"\} \d+$/gm,
    )
  await until(async () => (await memory())?.length === 2)
  const api = caller(service.baseUrl, key)
  expect((await api.post('/v1/organizations', { name: 'A', slug: 'a' })).status).toBe(200)

  process.kill(first[0] ?? 0, 'SIGKILL')
  const second = await until(async () => {
    const pids = workersOf(service.child.pid)
    return pids.length === 2 && !pids.includes(first[0] ?? 0) && pids
  })
  expect(second).toContain(first[1])
  await until(async () => (await memory())?.length === 2)
  expect((await api.get('/v1/organizations')).body.subOrganizations).toHaveLength(1)

  service.child.kill('SIGTERM')
  expect(await service.ended).toBe(0)
  expect(workersOf(service.child.pid)).toEqual([])
  expect(databasePid(dataDir)).toBeNull()
})

test('what keeps the workers from starting is told once', async () => {
  const port = await takenPort()
  const { code, line } = await refusedStart({ ...(await productionSettings()), WORKERS: '2', PORT: port })
  expect([code, line]).toEqual([
    1,
    `Port ${port} is in use by another process: stop that one, or set PORT to another port.`,
  ])
})
