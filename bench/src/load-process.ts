import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, locationOf, readAnswer, writeRequest } from './http-exchange.ts'
import { readField } from './json-field.ts'
import type { LoadPlan, LoadResult } from './load.ts'
import { percentile } from './statistics.ts'

const DRAIN_SECONDS = 30

const plan = await readPlan()
const url = new URL(plan.baseUrl)
// In bytes: what is composed now is not while requests run.
const wire = plan.requests.map((request) =>
  Buffer.from(writeRequest(url.host, request, { ...plan.headers, ...(request.headers ?? {}) })),
)
const values = plan.chain ? [...plan.chain.values] : []
const bodies: string[] = []
const failures: Record<string, number> = {}
const latenciesMs: number[] = []
let firstFailure: string | null = null
let next = 0
let completed = 0
let startedAt = 0
let lastAnswerAt = 0
let stopping = false
let slots = 0
let taken = 0

await run()

async function readPlan(): Promise<LoadPlan> {
  return JSON.parse(await text(process.stdin))
}

async function run(): Promise<void> {
  const count = plan.mode === 'cycle' ? plan.connections : Math.min(plan.connections, plan.requests.length)
  const lines = await Promise.all(Array.from({ length: count }, () => openLine()))
  startedAt = performance.now()
  const deadline = setTimeout(() => {
    stopping = true
  }, plan.seconds * 1000)
  // A server that never answers must not hold the bench; what is missing then shows as a lower count.
  const giveUp = setTimeout(report, (plan.seconds + DRAIN_SECONDS) * 1000)
  await Promise.all(lines.map((line, index) => drive(line, index)))
  clearTimeout(deadline)
  clearTimeout(giveUp)
  report()
}

/** A connection, and who is told of what comes on it. */
interface Line {
  socket: Socket
  onText(text: string): void
  onClose(): void
}

function openLine(): Promise<Line> {
  return new Promise((resolve, reject) => {
    const buffer = Buffer.allocUnsafe(64 * 1024)
    // Without a stream in between: the cores of the generator are the server's as well.
    const onread = {
      buffer,
      callback(size: number) {
        line.onText(buffer.toString('latin1', 0, size))
        return true
      },
    }
    const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true, onread }, () => resolve(line))
    const line: Line = { socket, onText: () => {}, onClose: () => {} }
    socket.once('error', reject)
    socket.once('close', () => line.onClose())
  })
}

/** Sends one request after the other on one connection, each after the previous answer. */
function drive(first: Line, connection: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let line = first
  let index = 0
  let received = ''
  let sentAt = 0
  let isAsked = false
  const onText = (text: string) => {
    received = received === '' ? text : received + text
    const answer = readAnswer(received)
    if (answer) finish(answer)
  }
  const begin = (opened: Line) => {
    line = opened
    line.onText = onText
    line.onClose = () => {
      if (isAsked) finish(null)
    }
    proceed()
  }
  const finish = (answer: Answer | null) => {
    isAsked = false
    record(answer, index, connection, performance.now() - sentAt)
    if (answer && !answer.closes) return proceed()
    line.socket.destroy()
    openLine().then(begin, reject)
  }
  const proceed = () => {
    const found = take(connection)
    if (found === null) {
      line.socket.destroy()
      resolve()
      return
    }
    index = found
    if (plan.ratePerSecond) waitForSlot(plan.ratePerSecond).then(send, reject)
    else send(performance.now())
  }
  const send = (startedAt: number) => {
    received = ''
    sentAt = startedAt
    isAsked = true
    if (line.socket.destroyed) return finish(null)
    line.socket.write(takeText(index, connection))
  }
  begin(first)
  return promise
}

/** Waits until the next request is due. Returns from when on its latency counts. */
async function waitForSlot(ratePerSecond: number): Promise<number> {
  const dueAt = startedAt + (slots++ * 1000) / ratePerSecond
  const waitMs = dueAt - performance.now()
  if (waitMs > 1) await sleep(waitMs)
  // A free connection only waited for the timer, which may be late. A busy one has kept the request waiting since it was due.
  return waitMs > 0 ? performance.now() : dueAt
}

function take(connection: number): number | null {
  if (stopping || taken === plan.count) return null
  taken++
  if (plan.mode === 'chain') return connection
  if (plan.mode === 'cycle') return next++ % wire.length
  return next < wire.length ? next++ : null
}

function takeText(index: number, connection: number): string | Buffer {
  const request = plan.requests[index]
  if (!plan.chain || !request) return wire[index] ?? ''
  const body = (request.body ?? '').replace(plan.chain.placeholder, values[connection] ?? '')
  return writeRequest(url.host, { ...request, body }, { ...plan.headers, ...(request.headers ?? {}) })
}

function record(answer: Answer | null, index: number, connection: number, latencyMs: number): void {
  const failure = findFailure(answer)
  if (failure) {
    failures[failure] = (failures[failure] ?? 0) + 1
    firstFailure ??= answer
      ? `${answer.status} ${(answer.body || locationOf(answer)).slice(0, 300)}`
      : 'connection closed'
  }
  if (plan.collect) bodies[index] = Buffer.from(answer?.body ?? '', 'latin1').toString('utf8')
  if (plan.chain && answer && !failure) {
    const value = readField(JSON.parse(answer.body), plan.chain.field)
    if (typeof value === 'string') values[connection] = value
  }
  // Answers after the deadline only complete running requests: counting them would stretch the window.
  if (stopping) return
  completed++
  // A quick refusal is not work done: rate and latencies are those of right answers only.
  if (!failure) latenciesMs.push(latencyMs)
  lastAnswerAt = performance.now()
}

function findFailure(answer: Answer | null): string | null {
  if (!answer) return 'dropped'
  const isRight = plan.redirects ? [302, 303].includes(answer.status) : answer.status >= 200 && answer.status <= 299
  if (!isRight) return String(answer.status)
  const text = plan.redirects ? locationOf(answer) : answer.body
  return plan.expect && !text.includes(plan.expect) ? 'unexpected' : null
}

function report(): void {
  const window = stopping && plan.mode !== 'once' ? plan.seconds : (lastAnswerAt - startedAt) / 1000
  latenciesMs.sort((a, b) => a - b)
  const result: LoadResult = {
    completed,
    ratePerSecond: window > 0 ? latenciesMs.length / window : 0,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
    failures,
    firstFailure,
    bodies,
    values,
  }
  process.stdout.write(JSON.stringify(result), () => process.exit(0))
}
