import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, readAnswer, writeRequest } from './http-exchange.ts'
import { readField } from './json-field.ts'
import type { LoadPlan, LoadResult } from './load.ts'
import { percentile } from './statistics.ts'

const DRAIN_SECONDS = 30

const plan = await readPlan()
const url = new URL(plan.baseUrl)
const wire = plan.requests.map((request) =>
  writeRequest(url.host, request, { ...plan.headers, ...(request.headers ?? {}) }),
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

await run()

async function readPlan(): Promise<LoadPlan> {
  return JSON.parse(await text(process.stdin))
}

async function run(): Promise<void> {
  const count = plan.mode === 'cycle' ? plan.connections : Math.min(plan.connections, plan.requests.length)
  const sockets = await Promise.all(Array.from({ length: count }, () => open()))
  startedAt = performance.now()
  const deadline = setTimeout(() => {
    stopping = true
  }, plan.seconds * 1000)
  // A server that never answers must not hold the bench; what is missing then shows as a lower count.
  const giveUp = setTimeout(report, (plan.seconds + DRAIN_SECONDS) * 1000)
  await Promise.all(sockets.map((socket, index) => drive(socket, index)))
  clearTimeout(deadline)
  clearTimeout(giveUp)
  report()
}

function open(): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(url.port), url.hostname, () => resolve(socket))
    socket.setNoDelay(true)
    socket.once('error', reject)
  })
}

/** Sends one request after the other on one connection, each after the previous answer. */
async function drive(first: Socket, connection: number): Promise<void> {
  let socket = first
  for (let index = take(connection); index !== null; index = take(connection)) {
    if (plan.ratePerSecond) await waitForSlot(plan.ratePerSecond)
    const sentAt = performance.now()
    const answer = await exchange(socket, takeText(index, connection))
    record(answer, index, connection, performance.now() - sentAt)
    if (!answer || answer.closes) {
      socket.destroy()
      socket = await open()
    }
  }
  socket.destroy()
}

async function waitForSlot(ratePerSecond: number): Promise<void> {
  const waitMs = startedAt + (slots++ * 1000) / ratePerSecond - performance.now()
  if (waitMs > 1) await sleep(waitMs)
}

function take(connection: number): number | null {
  if (stopping) return null
  if (plan.mode === 'chain') return connection
  if (plan.mode === 'cycle') return next++ % wire.length
  return next < wire.length ? next++ : null
}

function takeText(index: number, connection: number): string {
  const request = plan.requests[index]
  if (!plan.chain || !request) return wire[index] ?? ''
  const body = (request.body ?? '').replace(plan.chain.placeholder, values[connection] ?? '')
  return writeRequest(url.host, { ...request, body }, { ...plan.headers, ...(request.headers ?? {}) })
}

function exchange(socket: Socket, request: string): Promise<Answer | null> {
  return new Promise((resolve) => {
    let received = ''
    const finish = (answer: Answer | null) => {
      socket.off('data', onData)
      socket.off('close', onClose)
      resolve(answer)
    }
    const onData = (data: Buffer) => {
      received += data.toString('latin1')
      const answer = readAnswer(received)
      if (answer) finish(answer)
    }
    const onClose = () => finish(null)
    socket.on('data', onData)
    socket.on('close', onClose)
    socket.write(request)
  })
}

function record(answer: Answer | null, index: number, connection: number, latencyMs: number): void {
  const failure = findFailure(answer)
  if (failure) {
    failures[failure] = (failures[failure] ?? 0) + 1
    firstFailure ??= answer ? `${answer.status} ${(answer.body || answer.location).slice(0, 300)}` : 'connection closed'
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
  const text = plan.redirects ? answer.location : answer.body
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
