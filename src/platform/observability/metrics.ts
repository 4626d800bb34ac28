import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** The current state of a connection pool. */
export interface PoolState {
  name: string
  used: number
  idle: number
  waiting: number
}

/** The metrics of the service, for Prometheus on the private listener. */
export interface Metrics {
  registry: Registry
  observeRequest(method: string, route: string, status: number, durationMs: number): void
  mail: Counter<'result'>
  bounces: Counter<'kind' | 'source'>
  /** Age in seconds of the oldest waiting mail. Set an alarm at 60. */
  mailOldestWaiting: Gauge
  sms: Counter<'result'>
  smsOldestWaiting: Gauge
  /** Text messages that were requested but withheld. */
  smsWithheld: Counter<'reason'>
  /** Mails of the code generator that were withheld. */
  mailWithheld: Counter<'reason'>
  /** 1 or 0 for each check of `/readyz`. */
  ready: Gauge<'check'>
  /** 1 while mails, text messages and webhooks wait for the operator. */
  outgoingHeld: Gauge
  /** Passwords that wait for a hashing thread. */
  passwordsWaiting: Gauge
  webhooks: DeliveryMetrics
  jobs: JobMetrics
  /** Complete sign-ins (`session`), and right proofs after which something is still missing (`held`), by method. */
  signIns: Counter<'method' | 'result'>
  /** Failures that anyone can cause, by the type of their event. */
  failures: Counter<'type'>
  /** Refused requests, by the problem's code. */
  refusals: Counter<'code'>
  /** Requests refused because a limit was used up, by the limit. */
  limits: Counter<'limit'>
}

/** Metrics of the job queue, which all processes share. */
export interface JobMetrics {
  waiting: Gauge
  /** Age in seconds of the oldest job that is due. */
  oldestWaiting: Gauge
  /** Jobs that failed too often and are not tried again. */
  givenUp: Gauge
}

/** Metrics of events that are being delivered. */
export interface DeliveryMetrics {
  attempts: Counter<'result'>
  /** Age in seconds of the oldest due delivery to a healthy endpoint. Set an alarm at 60. */
  oldestWaiting: Gauge
  /** Endpoints that are slow and have events waiting. */
  troubled: Gauge
  /** Endpoints that always failed, or said that they are gone. */
  disabled: Gauge
}

let ofProcess: Registry | undefined

/**
 * Adds Node's metrics of the process, only once in each process however many applications it runs. The timer that
 * measures event loop delay fires a hundred times a second and never ends.
 */
function addProcessMetrics(registry: Registry): void {
  if (!ofProcess) {
    ofProcess = new Registry()
    collectDefaultMetrics({ register: ofProcess })
  }
  for (const { name } of ofProcess.getMetricsAsArray()) {
    const metric = ofProcess.getSingleMetric(name)
    if (metric) registry.registerMetric(metric)
  }
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  addProcessMetrics(registry)
  return {
    registry,
    observeRequest: timeRequests(registry),
    ...countMails(registry),
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
      help: 'Text messages requested but withheld, by reason: no_provider, country_not_allowed, daily_limit and others',
      labelNames: ['reason'],
      registers: [registry],
    }),
    ready: new Gauge({
      name: 'watchword_ready',
      help: 'Checks of /readyz: 1 while the check passes, else 0',
      labelNames: ['check'],
      registers: [registry],
    }),
    outgoingHeld: new Gauge({
      name: 'watchword_outgoing_held',
      help: '1 while emails, text messages and webhooks are held until `watchword outgoing release`, else 0',
      registers: [registry],
    }),
    passwordsWaiting: new Gauge({
      name: 'watchword_passwords_waiting',
      help: 'Passwords waiting for a hashing thread; beyond ten per core they are refused with 503',
      registers: [registry],
    }),
    webhooks: countWebhooks(registry),
    jobs: countJobs(registry),
    ...countDecisions(registry),
  }
}

function countMails(registry: Registry): Pick<Metrics, 'mail' | 'bounces' | 'mailOldestWaiting' | 'mailWithheld'> {
  return {
    mail: new Counter({
      name: 'watchword_mails_total',
      help: 'Emails by result: sent, retried, expired, refused, suppressed',
      labelNames: ['result'],
      registers: [registry],
    }),
    bounces: new Counter({
      name: 'watchword_mail_bounces_total',
      help: 'Bounces by kind (hard, soft, complaint) and source: smtp, report',
      labelNames: ['kind', 'source'],
      registers: [registry],
    }),
    mailOldestWaiting: new Gauge({
      name: 'watchword_mail_oldest_waiting_seconds',
      help: 'Age of the oldest email still waiting for the mail server',
      registers: [registry],
    }),
    mailWithheld: new Counter({
      name: 'watchword_mails_withheld_total',
      help: 'Emails of the code generator withheld, by reason: recipient_limit, organization_limit, key_limit, user_limit, network_limit',
      labelNames: ['reason'],
      registers: [registry],
    }),
  }
}

function timeRequests(registry: Registry): Metrics['observeRequest'] {
  const requests = new Histogram({
    name: 'watchword_http_request_duration_seconds',
    help: 'Duration of requests by route template',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  })
  return (method, route, status, durationMs) => requests.observe({ method, route, status }, durationMs / 1000)
}

function countJobs(registry: Registry): JobMetrics {
  return {
    waiting: new Gauge({
      name: 'watchword_jobs_waiting',
      help: 'Jobs of the queue that are due and not yet worked on',
      registers: [registry],
    }),
    oldestWaiting: new Gauge({
      name: 'watchword_jobs_oldest_waiting_seconds',
      help: 'For how long the oldest of them has been due',
      registers: [registry],
    }),
    givenUp: new Gauge({
      name: 'watchword_jobs_given_up',
      help: 'Jobs that failed too often to be tried again',
      registers: [registry],
    }),
  }
}

function countDecisions(registry: Registry): Pick<Metrics, 'signIns' | 'failures' | 'refusals' | 'limits'> {
  return {
    signIns: new Counter({
      name: 'watchword_sign_ins_total',
      help: 'Right proofs by method and result: session, or held where something is still to do',
      labelNames: ['method', 'result'],
      registers: [registry],
    }),
    failures: new Counter({
      name: 'watchword_failures_total',
      help: 'Failures that anybody can cause, such as wrong codes and passwords, by type of event',
      labelNames: ['type'],
      registers: [registry],
    }),
    refusals: new Counter({
      name: 'watchword_refusals_total',
      help: 'Requests answered with a problem, by its code',
      labelNames: ['code'],
      registers: [registry],
    }),
    limits: new Counter({
      name: 'watchword_limits_total',
      help: 'Requests refused because a limit was used up, by limit',
      labelNames: ['limit'],
      registers: [registry],
    }),
  }
}

/** Counts a process's database connections whenever the metrics are read. */
export function watchConnections({ registry }: Metrics, read: () => PoolState[]): void {
  const connections = new Gauge({
    name: 'watchword_database_connections',
    help: 'Connections to the database by pool and state: used, idle',
    labelNames: ['pool', 'state'],
    registers: [registry],
    collect() {
      connections.reset()
      for (const { name, used, idle } of read()) {
        connections.inc({ pool: name, state: 'used' }, used)
        connections.inc({ pool: name, state: 'idle' }, idle)
      }
    },
  })
  const waiting = new Gauge({
    name: 'watchword_database_waiting',
    help: 'What waits for a connection to the database, by pool',
    labelNames: ['pool'],
    registers: [registry],
    collect() {
      waiting.reset()
      for (const { name, waiting: count } of read()) waiting.inc({ pool: name }, count)
    },
  })
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
      help: 'Seconds since the longest-waiting delivery became due, without slow endpoints',
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
