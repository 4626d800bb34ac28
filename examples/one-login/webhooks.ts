import express, { Router } from 'express'
import { Webhook } from 'standardwebhooks'
import { type Event, nameOf, namesOf } from './audit.ts'
import { html, sendPage } from './html.ts'
import { adminsOnly, origin, personOf, signedIn } from './session.ts'
import { callAsBackend } from './watchword.ts'

const address = process.env['WEBHOOK_URL'] ?? `${origin}/webhooks`

/** The secret of the webhook: yours, or that of a webhook that this application registers for itself, for trying it out. */
let secret = process.env['WEBHOOK_SECRET'] ?? null

export async function registerWebhook(): Promise<void> {
  if (secret !== null) return
  interface Registered {
    webhooks: { id: string; url: string; subOrgId: string | null }[]
  }
  const { webhooks } = await callAsBackend<Registered>('GET', '/webhooks?limit=100')
  const mine = webhooks.find(({ url, subOrgId }) => url === address && subOrgId === null)
  const scope = 'environment'
  const [path, body] = mine
    ? [`/webhooks/${mine.id}/rotate-secret`, { scope, overlapSeconds: 0 }]
    : ['/webhooks', { scope, name: 'One login', url: address, events: ['*'] }]
  const { signingSecret } = await callAsBackend<{ signingSecret: string }>('POST', path, body)
  secret = signingSecret
}

const KEPT = 1000
/** The last events, by their id: each may be delivered more than once. Yours are in your database. */
const received = new Map<string, Event>()

/** Outside of the checks for browsers: the signature says who sends this. */
export const receiver = Router()

receiver.post('/webhooks', express.raw({ type: 'application/json', limit: '100kb' }), (req, res) => {
  let event: Event
  try {
    // Over the bytes as they came. It also refuses a timestamp that is more than five minutes away.
    event = new Webhook(secret ?? '').verify(String(req.body), req.headers as Record<string, string>) as Event
  } catch {
    res.status(401).end()
    return
  }
  if (!received.has(event.id)) received.set(event.id, event)
  const [oldest] = received.keys()
  if (received.size > KEPT && oldest) received.delete(oldest)
  res.status(204).end()
})

export const events = Router()

events.get('/events', signedIn, adminsOnly, async (_req, res) => {
  const person = personOf(res)
  // The webhook gets the events of all customers: show each customer their own.
  const own = [...received.values()]
    .filter(({ sub_org_id }) => sub_org_id === person.subOrgId)
    .slice(-50)
    .reverse()
  const names = await namesOf(person.subOrgId)
  sendPage(res, {
    title: 'Events',
    person,
    body: html`<p class="muted">Received by webhook since this application started.</p>
<ul>${own.map((event) => html`<li>${event.type} <small>${nameOf(event, names)}, ${event.timestamp}</small></li>`)}</ul>`,
  })
})
