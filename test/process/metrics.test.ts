import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { caller, until } from '../harness.ts'
import { productionSettings, startedOnce, startService } from './service.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (file: string) => readFileSync(`${root}${file}`, 'utf8')

const { service, api } = await startedOnce(async () => {
  const settings = await productionSettings()
  const started = await startService({ ...settings, WORKERS: '2' })
  await started.ready()
  return { service: started, api: caller(started.baseUrl, settings.WATCHWORD_BOOTSTRAP_API_KEY) }
})

const readMetrics = async () => (await fetch(`${service.privateUrl}/metrics`)).text()

/** The names that a query may use: of a histogram those of its series. */
function namesIn(text: string): string[] {
  return [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) =>
    type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => `${name}${end}`) : [name],
  )
}

test('what the dashboard and the alerts ask for is in the metrics, and each metric is in the guide', async () => {
  const text = await readMetrics()
  const names = new Set(namesIn(text))
  const files = globSync('docs/**/*.{json,yaml}', { cwd: root }).sort()
  expect(files).toEqual(['docs/operate/alerts.yaml', 'docs/operate/grafana-dashboard.json'])
  for (const file of files) {
    const asked = [...new Set(read(file).match(/\b(watchword|nodejs|process)_[a-z0-9_]+/g))]
    expect(asked.length).toBeGreaterThan(5)
    expect([file, asked.filter((name) => !names.has(name))]).toEqual([file, []])
  }
  const own = [...text.matchAll(/^# TYPE (watchword_\S+)/gm)].map(([, name = '']) => name)
  const described = [...read('docs/operate/operations.md').matchAll(/^\| *`(watchword_\w+)`/gm)].map(
    ([, name = '']) => name,
  )
  expect(described.toSorted()).toEqual(own.toSorted())
})

test('each alert has one expression, and the guides name no other', () => {
  const rules = read('docs/operate/alerts.yaml')
    .split(/^ {6}- alert: /m)
    .slice(1)
  const names = rules.map((rule) => rule.split('\n')[0])
  const keys = ['expr', 'for', 'labels', 'annotations', 'severity', 'summary', 'guide']
  for (const [at, rule] of rules.entries())
    expect([names[at], keys.map((key) => rule.match(new RegExp(`^ +${key}:`, 'gm'))?.length)]).toEqual([
      names[at],
      keys.map(() => 1),
    ])
  const guides = globSync('docs/**/*.md', { cwd: root }).map(read).join('\n')
  const named = [...new Set(guides.match(/\bWatchword(?=[A-Z])\w+/g))]
  expect(named.length).toBeGreaterThan(3)
  expect(named.filter((name) => !names.includes(name) && !/^Watchword(Error)$/.test(name))).toEqual([])
})

test('a hold has an alert of its own, and fires none of those on waiting messages', () => {
  const rules = read('docs/operate/alerts.yaml')
    .split(/^ {6}- alert: /m)
    .slice(1)
  const about = (metric: string) => rules.filter((rule) => rule.includes(metric))
  const waiting = about('watchword_').filter((rule) => /watchword_(mail|sms|webhook)_oldest_waiting/.test(rule))
  expect(waiting.map((rule) => rule.split('\n')[2]?.trim())).toEqual(
    ['mail', 'sms', 'webhook'].map(
      (kind) => `max(watchword_${kind}_oldest_waiting_seconds) > 60 unless max(watchword_outgoing_held) > 0`,
    ),
  )
  const [held, ...others] = about('watchword_outgoing_held').filter((rule) => !waiting.includes(rule))
  expect([held, others]).toEqual([
    expect.stringMatching(/^WatchwordOutgoingHeld\n(.*\n)*.*for: 1m\n.*\n.*critical/),
    [],
  ])
  expect(read('docs/operate/grafana-dashboard.json')).toContain('max(watchword_outgoing_held)')
})

test('each of several processes tells how long a mail has been waiting', async () => {
  const made = await api.post('/v1/organizations', { name: 'A', slug: 'a' })
  const subOrgId = made.body.subOrganization.id
  const email = 'ann@a.example'
  expect((await api.post('/v1/users', { subOrgId, email })).status).toBe(200)
  expect((await api.post('/v1/auth/login/otp/send', { subOrgId, email })).status).toBe(200)
  await until(async () => {
    const waiting = /^watchword_mail_oldest_waiting_seconds\{worker="[12]"\} (?!0$)\S+$/gm
    return (await readMetrics()).match(waiting)?.length === 2
  }, 10_000)
})

test('in compose the service, its metrics and the mails are reached from this machine alone', () => {
  const lines = read('compose.yaml').split('\n')
  const published = lines.flatMap((line) => /^ +ports: \[(.+)\]$/.exec(line)?.slice(1) ?? [])
  expect(lines.filter((line) => line.includes('ports:'))).toHaveLength(published.length)
  const expected = [4000, 4001, 8025].map((port) => `"127.0.0.1:${port}:${port}"`)
  expect(published.flatMap((ports) => ports.split(', '))).toEqual(expected)
  expect(lines).toContain('      WATCHWORD_METRICS_HOST: 0.0.0.0')
  expect(lines).toContain('      WATCHWORD_BASE_URL: http://localhost:4000')
})
