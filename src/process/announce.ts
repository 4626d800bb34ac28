import { readFileSync } from 'node:fs'
import type { Config } from '../platform/config/config.ts'
import type { Log } from '../platform/observability/log.ts'
import type { Lifetime } from './lifetime.ts'

/** Reports progress during a start, to people in development and to the log in production. */
export type Say = (line: string) => void

export function sayTo(config: Config, log: Log): Say {
  return (line) => (config.production ? log.info({}, line) : process.stdout.write(`${line}\n`))
}

export const version: string = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version

/** The first API key of a deployment. */
export interface FirstKey {
  /** The text of a key that this start has created. It can only be shown now. */
  made: string | null
  /** Whether there is no key, so that the operator must create one. */
  missing: boolean
}

const NO_KEY = 'There is no API key yet: create one with `npx watchword keys create --name backend`.'

export interface Ready {
  config: Config
  log: Log
  port: number
  firstKey: FirstKey
  lifetime: Lifetime
}

const STOPPING = 'Watchword is stopping. It completes open requests and accepts no new ones.'

/**
 * Announces that the service is ready and how to make a first request, and later that it is stopping and has stopped.
 */
export function announceReady({ config, log, port, firstKey, lifetime }: Ready): void {
  const say = sayTo(config, log)
  lifetime.ending.addEventListener('abort', () => say(STOPPING))
  lifetime.atLast(() => say('Watchword has stopped.'))
  const readyMs = Math.round(performance.now())
  if (config.production) {
    log.info({ port, durationMs: readyMs }, `Watchword ${version} is ready`)
    if (firstKey.missing) log.info({}, NO_KEY)
    return
  }
  const address = config.port === port ? config.baseUrl : `http://localhost:${port}`
  const lines = [`Watchword ${version} is ready at ${address} (after ${(readyMs / 1000).toFixed(1)} s)`, '']
  if (firstKey.missing) lines.push(NO_KEY, '')
  if (firstKey.made)
    lines.push(
      'Your first API key, with every scope, for the environment production. It is shown only once:',
      '',
      `  ${firstKey.made}`,
      '',
      'Create a one-time password with it:',
      '',
      `  curl ${address}/v1/otp/generate -H 'X-API-Key: ${firstKey.made}' -H 'Content-Type: application/json' -d '{}'`,
      '',
    )
  lines.push(`API reference: ${address}/docs`)
  if (!config.smtpUrl) lines.push(`Mails, kept instead of sent: ${address}/dev/mail`)
  process.stdout.write(`${lines.join('\n')}\n\n`)
}
