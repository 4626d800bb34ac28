import type { Counter, Gauge } from 'prom-client'
import { isId } from '../ids.ts'
import type { JobHandler } from '../jobs/queue.ts'
import { isOutgoingHeld } from '../lifecycle/deployment.ts'
import { type Breaker, createBreaker } from '../limits/breaker.ts'
import type { LogFields } from '../observability/log.ts'
import { type Platform, perPlatform } from '../platform.ts'
import { findDirectory } from '../tenancy/directory.ts'
import type { Work } from '../work.ts'
import { enqueueSending, type Outbox } from './outbox.ts'
import {
  countWaiting,
  deleteExpired,
  deleteWaiting,
  discardMessages,
  findWaiting,
  listForgotten,
  noteFailedTry,
  oldestWaitingSeconds,
  openExpired,
  type PlacedMessage,
  type Visited,
  type Waiting,
} from './waiting.ts'

/** A message could not be sent. The reason is a code, because the peer's own text quotes addresses. */
export class DeliveryFailure extends Error {
  override name = 'DeliveryFailure'
  /** For example `ETIMEDOUT` or `SMTP_451`. */
  readonly code: string
  /** The peer permanently refused this recipient or message. */
  readonly refused: boolean
  /** The peer itself is failing, so the next message would fail too. */
  readonly unreachable: boolean
  /** The peer's answer. Only for `Channel.refused`, because it quotes addresses. */
  readonly answer: string | null
  /** The enhanced status code in a mail server's answer, or null. */
  readonly smtpStatus: string | null
  /**
   * The age in milliseconds at which a message is dropped after this failure. If null, the message waits as long as it
   * is useful.
   */
  readonly patienceMs: number | null

  constructor(
    code: string,
    refused: boolean,
    unreachable: boolean,
    reply: { answer?: string | null; smtpStatus?: string | null; patienceMs?: number } = {},
  ) {
    super(code)
    this.code = code
    this.refused = refused
    this.unreachable = unreachable
    this.answer = reply.answer ?? null
    this.smtpStatus = reply.smtpStatus ?? null
    this.patienceMs = reply.patienceMs ?? null
  }
}

/** Sends the messages of one channel. */
export interface Transport<M> {
  /** Sends within seconds. Throws DeliveryFailure. */
  send(message: Waiting<M>): Promise<void>
  close(): void
}

/** The directory of the message. */
export type Tenant = Pick<Work, 'platform' | 'directory'>

export interface Channel<M extends { decoy: boolean }> {
  outbox: Outbox<M>
  /** @returns null if no transport is configured. Messages then wait until there is one, or until they expire. */
  open(platform: Platform): Transport<M> | null
  metrics(platform: Platform): { results: Counter<'result'>; oldestWaiting: Gauge }
  /** The name of the clean-up job. */
  cleanUp: string
  /** Texts of log lines. */
  lines: { sent: string; refused: string; retried: string; expired: string; moreExpired: string }
  /**
   * Log fields for messages, in the same order, with which an operator can find them. Never contains the recipient's
   * address or number.
   */
  describe?(platform: Platform, messages: PlacedMessage<M>[]): Promise<LogFields[]>
  /** Drops a message whose recipient is suppressed. Returns true if it was dropped. */
  suppress?(tenant: Tenant, message: Waiting<M>): Promise<boolean>
  /** Records what a permanent refusal says about the recipient. May be called again for the same message. */
  refused?(tenant: Tenant, message: Waiting<M>, failure: DeliveryFailure): Promise<void>
}

export interface Delivery {
  /** Sends one message of the outbox at least once, unless its row no longer exists. */
  send: JobHandler
  /** Drops expired messages and enqueues those that have lost their job. */
  cleanUp: JobHandler
  /** Enqueues every waiting message, for example after a hold. Returns how many. */
  resume(platform: Platform): Promise<number>
  /** Drops the waiting messages that were created before this time. Returns how many. */
  discard(platform: Platform, createdBefore: Date): Promise<number>
  /** How many messages wait to be sent. */
  countWaiting(platform: Platform): Promise<number>
  /** Updates the gauge of the oldest waiting message. Every process whose metrics are read does this for itself. */
  measure(platform: Platform): Promise<void>
  /** Closes the connections of the channel. */
  close(platform: Platform): void
}

/** Attempts continue at a server that does not respond for a moment, but never with all workers. */
const PATIENCE = { failures: 1, slowMs: 3000, restMs: 0, probes: 2 }

/** Defines the delivery of a channel. */
export function defineDelivery<M extends { decoy: boolean }>(channel: Channel<M>): Delivery {
  const { outbox } = channel
  const opened = perPlatform((platform) => ({ transport: channel.open(platform), breaker: createBreaker(PATIENCE) }))
  const measure = async (platform: Platform) =>
    channel.metrics(platform).oldestWaiting.set(await oldestWaitingSeconds(platform.db, outbox))
  return {
    measure,
    async resume(platform) {
      let resumed = 0
      // A single pass, because without a transport the jobs end at once and the messages stay.
      let after: Visited | null = null
      for (;;) {
        const messages: ({ directoryId: string } & Visited)[] = await listForgotten(platform.db, outbox, {
          ...{ limit: BATCH, olderThanSeconds: 0, after },
        })
        for (const message of messages) await enqueueSending(platform.db, outbox, message)
        resumed += messages.length
        after = messages.at(-1) ?? null
        if (messages.length < BATCH) return resumed
      }
    },
    discard: (platform, createdBefore) => discardMessages(platform.db, outbox, createdBefore, BATCH),
    countWaiting: (platform) => countWaiting(platform.db, outbox),
    close: (platform) => opened(platform).transport?.close(),
    send: {
      name: outbox.job,
      async handle(platform, { directoryId, id }) {
        if (typeof directoryId !== 'string' || typeof id !== 'string' || !isId(id)) return
        const directory = await findDirectory(platform, directoryId)
        const message = directory && (await findWaiting(platform, outbox, directory, id))
        if (!message) return
        if (message.decoy || message.expired) {
          await deleteWaiting(platform.db, outbox, directory, id)
          if (message.decoy) return
          channel.metrics(platform).results.inc({ result: 'expired' })
          return logDropped(platform, channel, [{ directory, message }])
        }
        // The row stays, and the release enqueues it.
        if (await isOutgoingHeld(platform)) return
        await deliver({ platform, directory }, channel, opened(platform), message)
      },
    },
    cleanUp: {
      name: channel.cleanUp,
      cron: '* * * * *',
      async handle(platform) {
        // Done first, because many expired messages must not delay those that are still useful.
        if (opened(platform).transport && !(await isOutgoingHeld(platform)))
          for (const message of await listForgotten(platform.db, outbox, { limit: BATCH, olderThanSeconds: 60 }))
            await enqueueSending(platform.db, outbox, message)
        await dropExpired(platform, channel)
        await measure(platform)
      },
    },
  }
}

const BATCH = 200
/**
 * The number of expired messages that one run opens to describe them in the log. The others are counted in one line.
 */
const NAMED = 20

async function dropExpired<M extends { decoy: boolean }>(platform: Platform, channel: Channel<M>): Promise<void> {
  let named = 0
  let more = 0
  for (;;) {
    const { deleted, expired } = await deleteExpired(platform, channel.outbox, BATCH)
    channel.metrics(platform).results.inc({ result: 'expired' }, expired.length)
    const rows = expired.slice(0, NAMED - named)
    named += rows.length
    more += expired.length - rows.length
    const opened = await openExpired(platform, channel.outbox, rows)
    const dropped = opened.filter(({ message }) => !message.decoy)
    await logDropped(platform, channel, dropped)
    if (deleted < BATCH) break
  }
  if (more > 0) platform.log.warn({ job: channel.outbox.job, count: more }, channel.lines.moreExpired)
}

async function deliver<M extends { decoy: boolean }>(
  tenant: Tenant,
  channel: Channel<M>,
  way: { transport: Transport<M> | null; breaker: Breaker },
  message: Waiting<M>,
): Promise<void> {
  const { platform, directory } = tenant
  const { outbox } = channel
  // The row stays. The clean-up enqueues it once there is a transport, or drops it when it expires.
  if (!way.transport) return
  if (await channel.suppress?.(tenant, message)) {
    channel.metrics(platform).results.inc({ result: 'suppressed' })
    return
  }
  const leave = way.breaker.enter()
  if (!leave) return enqueueSending(platform.db, outbox, message, delayOfNextTry(message.ageMs))
  try {
    await way.transport.send(message)
    leave(true)
  } catch (error) {
    leave(error instanceof DeliveryFailure && !error.unreachable)
    if (!(error instanceof DeliveryFailure)) throw error
    return failed(tenant, channel, message, error)
  }
  await deleteWaiting(platform.db, outbox, directory, message.id)
  channel.metrics(platform).results.inc({ result: 'sent' })
  if (platform.log.writes('debug'))
    platform.log.debug(await describeMessage(tenant, channel, message), channel.lines.sent)
}

async function logDropped<M extends { decoy: boolean }>(
  platform: Platform,
  channel: Channel<M>,
  dropped: PlacedMessage<M>[],
): Promise<void> {
  for (const [n, fields] of (await describeMessages(platform, channel, dropped)).entries()) {
    const { attempts: attempt = 0, lastError: code = null } = dropped[n]?.message ?? {}
    platform.log.warn({ ...fields, attempt, ...(code === null ? {} : { code }) }, channel.lines.expired)
  }
}

async function describeMessages<M extends { decoy: boolean }>(
  platform: Platform,
  { outbox, describe }: Channel<M>,
  messages: PlacedMessage<M>[],
): Promise<LogFields[]> {
  const described = (await describe?.(platform, messages)) ?? []
  return messages.map(({ directory: { id: directoryId, organizationId }, message: { kind } }, n) => ({
    ...{ job: outbox.job, kind, directoryId },
    ...(organizationId === null ? {} : { subOrgId: organizationId }),
    ...described[n],
  }))
}

async function describeMessage<M extends { decoy: boolean }>(
  { platform, directory }: Tenant,
  channel: Channel<M>,
  message: Waiting<M>,
): Promise<LogFields> {
  const [fields = {}] = await describeMessages(platform, channel, [{ directory, message }])
  return fields
}

async function failed<M extends { decoy: boolean }>(
  tenant: Tenant,
  channel: Channel<M>,
  message: Waiting<M>,
  failure: DeliveryFailure,
): Promise<void> {
  const { platform, directory } = tenant
  const { outbox, metrics, lines } = channel
  const describeFailure = async () => ({
    ...(await describeMessage(tenant, channel, message)),
    ...{ attempt: message.attempts + 1, code: failure.code },
    ...(failure.smtpStatus === null ? {} : { smtpStatus: failure.smtpStatus }),
  })
  const isGivenUp = failure.patienceMs !== null && message.ageMs > failure.patienceMs
  if (failure.refused || isGivenUp) {
    if (failure.refused) await channel.refused?.(tenant, message, failure)
    await deleteWaiting(platform.db, outbox, directory, message.id)
    metrics(platform).results.inc({ result: 'refused' })
    platform.log.warn(await describeFailure(), lines.refused)
    return
  }
  await platform.tx(async (tx) => {
    const waits = await noteFailedTry(tx, outbox, directory, { id: message.id, reason: failure.code })
    if (waits) await enqueueSending(tx, outbox, message, delayOfNextTry(message.ageMs))
  })
  metrics(platform).results.inc({ result: 'retried' })
  platform.log.warn(await describeFailure(), lines.retried)
}

/**
 * A message waits about as long again as it has waited so far: 1, 2, 4, 8 seconds and so on, at most a minute. Codes
 * are valid for minutes, but the queue's own backoff is made for days.
 */
function delayOfNextTry(ageMs: number): number {
  return Math.min(Math.max(ageMs, 1000), 60_000) * (0.8 + 0.4 * Math.random())
}
