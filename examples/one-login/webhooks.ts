import { webhook } from '@watchword/sdk/express'
import type { DeliveredEvent } from '@watchword/sdk/webhooks'
import { Router } from 'express'
import { nameOf, namesOf } from './audit.ts'
import { html, sendPage } from './html.ts'
import { adminsOnly, personOf } from './session.ts'
import { origin, watchword } from './watchword.ts'

const url = process.env['WEBHOOK_URL'] ?? `${origin}/webhooks`

/** Registers a webhook for this application, to try it out. Returns its secret. */
async function registerWebhook(): Promise<string> {
  const scope = 'environment'
  for await (const { id, url: known, subOrgId } of watchword.webhooks.list())
    if (known === url && subOrgId === null)
      return (await watchword.webhooks.rotateSecret(id, { scope, overlapSeconds: 0 })).signingSecret
  return (await watchword.webhooks.create({ scope, name: 'One login', url, events: ['*'] })).signingSecret
}

const KEPT = 1000
/** The latest events by id, because each may be delivered more than once. Store yours in your database. */
const received = new Map<string, DeliveredEvent>()

/** Checks the signature of each delivery. Put it before middleware that checks browsers. */
export const receiver = webhook(process.env['WEBHOOK_SECRET'] ?? (await registerWebhook()), (event) => {
  if (!received.has(event.id)) received.set(event.id, event)
  const [oldest] = received.keys()
  if (received.size > KEPT && oldest) received.delete(oldest)
})

export const events = Router()

events.get('/events', adminsOnly, async (_req, res) => {
  const person = personOf(res)
  // The webhook gets the events of all customers, so show each customer only their own.
  const own = [...received.values()].filter(({ sub_org_id }) => sub_org_id === person.subOrgId)
  const names = await namesOf(person.subOrgId)
  const newest = own.slice(-50).reverse()
  sendPage(res, {
    title: 'Events',
    person,
    body: html`<p class="muted">Received by webhook since this application started.</p>
<ul>${newest.map((event) => html`<li>${event.type} <small>${nameOf(event, names)}, ${event.timestamp}</small></li>`)}</ul>`,
  })
})
