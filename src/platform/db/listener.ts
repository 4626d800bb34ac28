import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import type { Log } from '../observability/log.ts'
import { breakClient, endClient, openClient } from './client.ts'

export interface ListenerOptions {
  channel: string
  log: Log
  onPayload(payload: string): void
  /** Called when notifications start to arrive and when they stop. Notifications in between are lost. */
  onChange(isListening: boolean): void
  /** Sends a statement every 2 s, to check that the server responds. */
  beat(client: pg.ClientBase): Promise<unknown>
  /** In tests: the interval of beats, in milliseconds. */
  beatMs?: number
}

export interface Listener {
  close(): Promise<void>
}

const BEAT_MS = 2000
const ANSWER_MS = 4000
const RETRY_MS = 500

/**
 * Listens on its own connection until closed. A lost connection is replaced immediately, but at most every half second.
 * A server that hangs or is gone closes nothing, so the connection is also replaced if a heartbeat statement gets no
 * response within 4 s.
 */
export function listen(url: string, options: ListenerOptions): Listener {
  const closing = new AbortController()
  const over = keepListening(url, options, closing.signal)
  return {
    close() {
      closing.abort()
      return over
    },
  }
}

async function keepListening(url: string, options: ListenerOptions, closed: AbortSignal): Promise<void> {
  while (!closed.aborted) {
    const begunAt = performance.now()
    const client = await openClient(url, { application_name: 'watchword-cache', query_timeout: ANSWER_MS }).catch(
      () => null,
    )
    if (client) {
      await listenOn(client, options, closed)
      options.onChange(false)
      if (!closed.aborted) options.log.warn({}, 'The cache listener lost its connection')
    }
    if (performance.now() - begunAt < RETRY_MS)
      await delay(RETRY_MS, undefined, { signal: closed, ref: false }).catch(() => undefined)
  }
}

/** Resolves when the connection is lost or `closed` is aborted. */
async function listenOn(
  client: pg.Client,
  { channel, onPayload, onChange, beat, beatMs = BEAT_MS }: ListenerOptions,
  closed: AbortSignal,
): Promise<void> {
  const lost = new AbortController()
  const over = AbortSignal.any([closed, lost.signal])
  client.on('end', () => lost.abort())
  client.on('notification', ({ payload = '' }) => onPayload(payload))
  try {
    await client.query(`listen ${channel}`)
    onChange(true)
    while (!over.aborted) {
      await delay(beatMs, undefined, { signal: over, ref: false })
      await beat(client)
    }
  } catch {
    // The connection was lost or closed.
  }
  if (closed.aborted) await endClient(client).catch(() => undefined)
  else breakClient(client)
}
