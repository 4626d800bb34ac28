import { toEvent } from '../../../platform/events/event-envelope.ts'
import type { StreamedEvent } from '../../../platform/events/event-rows.ts'
import { OutboundFailure, outboundFetch } from '../../../platform/outbound/http.ts'
import type { Platform } from '../../../platform/platform.ts'
import { readRetryAfter } from './schedule.ts'
import { signatureHeaders } from './signature.ts'

/** The data of an attempt, which is not read again while the attempt runs. */
export interface Target {
  /** The id of the webhook whose connections are used. */
  id: string
  url: string
  /** Newest first. */
  secrets: readonly string[]
}

export interface Outcome {
  ok: boolean
  /** 410 Gone: the receiver never wants any events again. */
  isGone: boolean
  at: string
  url: string
  headers: Record<string, string>
  responseStatus: number | null
  responseBody: string | null
  error: string | null
  durationMs: number
  retryAfterSeconds: number | null
}

const TIMEOUT_MS = 15_000
const READ_BYTES = 4096
const SHOWN_BYTES = 1024
const MAX_BODY_BYTES = 20_480

/**
 * The body of an event, at most 20 KB. A larger event is shortened to its target's id, with which the receiver can
 * read the rest from the API.
 */
export function bodyOf(event: StreamedEvent): string {
  const whole = toEvent(event)
  const text = JSON.stringify(whole)
  if (Buffer.byteLength(text) <= MAX_BODY_BYTES) return text
  const { user_agent, ...rest } = whole
  const data = event.target_id === null ? {} : { id: event.target_id }
  return JSON.stringify({
    ...rest,
    user_agent: user_agent?.slice(0, 500) ?? null,
    data,
    previous: null,
    truncated: true,
  })
}

/** An event in the form in which it is sent. */
export interface Sendable {
  id: string
  body: string
}

/** Sends an event once. Does not throw, whatever the receiver does. */
export async function attempt(platform: Platform, target: Target, { id, body }: Sendable): Promise<Outcome> {
  // Process clock: receivers compare the time of a signature with their own clocks.
  const now = platform.clock.now()
  const signed = { id: `evt_${id}`, seconds: Math.floor(now.getTime() / 1000), body }
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Watchword-Webhooks/1.0',
    ...signatureHeaders(target.secrets, signed),
  }
  const startedMs = performance.now()
  const told = {
    at: now.toISOString(),
    url: target.url,
    headers: { ...headers, [SIGNATURE]: unsigned(headers[SIGNATURE]) },
  }
  const took = () => Math.round(performance.now() - startedMs)
  try {
    const limits = { timeoutMs: TIMEOUT_MS, maxBytes: READ_BYTES, cutsBody: true, keepsFor: target.id }
    const answer = await outboundFetch(platform, target.url, { method: 'POST', headers, body, ...limits })
    const ok = answer.status >= 200 && answer.status < 300
    return {
      ...told,
      ok,
      isGone: answer.status === 410,
      responseStatus: answer.status,
      responseBody: readable(answer.body),
      error: ok ? null : `status_${answer.status}`,
      durationMs: took(),
      retryAfterSeconds: ok ? null : readRetryAfter(answer.headers['retry-after'], now),
    }
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error
    const none = { ok: false, isGone: false, responseStatus: null, responseBody: null, retryAfterSeconds: null }
    return { ...told, ...none, error: error.reason, durationMs: took() }
  }
}

const SIGNATURE = 'webhook-signature'

/**
 * Keeps only the start of each signature. It shows which secret signed, but cannot be used to replay the event, which
 * receivers accept for some minutes.
 */
function unsigned(signatures: string): string {
  return signatures.replaceAll(/(v1,.{6})\S*/g, '$1…')
}

/** The part of a response that can be shown to people and stored in PostgreSQL. */
function readable(body: Buffer): string {
  const text = body.toString('utf8').replaceAll(/[^\P{Cc}\n\t]|\ufffd/gu, '')
  return Buffer.from(text).subarray(0, SHOWN_BYTES).toString('utf8').replaceAll('\ufffd', '')
}
