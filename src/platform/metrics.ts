import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** What the service counts, for Prometheus on the private listener. */
export interface Metrics {
  registry: Registry
  observeRequest(method: string, route: string, status: number, durationMs: number): void
  mail: Counter<'result'>
  /** Age in seconds of the oldest mail still waiting; set an alarm at 60. */
  mailOldestWaiting: Gauge
  sms: Counter<'result'>
  smsOldestWaiting: Gauge
  /** Text messages that were requested but withheld. */
  smsWithheld: Counter<'reason'>
  /** Passwords waiting for a hashing thread. */
  passwordsWaiting: Gauge
  webhooks: DeliveryMetrics
}

/** Of events on their way to others. */
export interface DeliveryMetrics {
  attempts: Counter<'result'>
  /** Age in seconds of the oldest delivery that is due at an endpoint that is well; set an alarm at 60. */
  oldestWaiting: Gauge
  /** Endpoints that are slow and have something to get. */
  troubled: Gauge
  /** Endpoints that only failed, or said that they are gone. */
  disabled: Gauge
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'watchword_http_request_duration_seconds',
    help: 'Duration of requests by route template',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  })
  // Finding a series by its labels costs more than counting in it. There are as many as routes and statuses.
  const known = new Map<string, ReturnType<typeof requests.labels>>()
  return {
    registry,
    observeRequest(method, route, status, durationMs) {
      const name = `${method} ${route} ${status}`
      let series = known.get(name)
      if (!series) {
        series = requests.labels(method, route, String(status))
        known.set(name, series)
      }
      series.observe(durationMs / 1000)
    },
    mail: new Counter({
      name: 'watchword_mails_total',
      help: 'Emails by result: sent, retried, expired, refused',
      labelNames: ['result'],
      registers: [registry],
    }),
    mailOldestWaiting: new Gauge({
      name: 'watchword_mail_oldest_waiting_seconds',
      help: 'Age of the oldest email still waiting for the mail server',
      registers: [registry],
    }),
    sms: new Counter({
      name: 'watchword_sms_total',
      help: 'Text messages by result: sent, retried, expired, refused',
      labelNames: ['result'],
      registers: [registry],
    }),
    smsOldestWaiting: new Gauge({
      name: 'watchword_sms_oldest_waiting_seconds',
      help: 'Age of the oldest text message still waiting for the provider',
      registers: [registry],
    }),
    smsWithheld: new Counter({
      name: 'watchword_sms_withheld_total',
      help: 'Text messages requested but withheld, by reason: off, number, country, daily_limit',
      labelNames: ['reason'],
      registers: [registry],
    }),
    passwordsWaiting: new Gauge({
      name: 'watchword_passwords_waiting',
      help: 'Passwords waiting for a hashing thread; beyond ten per core they are refused with 503',
      registers: [registry],
    }),
    webhooks: countWebhooks(registry),
  }
}

function countWebhooks(registry: Registry): DeliveryMetrics {
  return {
    attempts: new Counter({
      name: 'watchword_webhook_attempts_total',
      help: 'Attempts to deliver events by result: succeeded, retried, failed',
      labelNames: ['result'],
      registers: [registry],
    }),
    oldestWaiting: new Gauge({
      name: 'watchword_webhook_oldest_waiting_seconds',
      help: 'Age of the oldest delivery that is due at an endpoint that is well',
      registers: [registry],
    }),
    troubled: new Gauge({
      name: 'watchword_webhook_endpoints_troubled',
      help: 'Endpoints that are slow and for which events wait',
      registers: [registry],
    }),
    disabled: new Gauge({
      name: 'watchword_webhook_endpoints_disabled',
      help: 'Endpoints that were disabled since they only failed or were gone',
      registers: [registry],
    }),
  }
}
