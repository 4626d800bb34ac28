import type { Event } from '@watchword/sdk'
import { Router } from 'express'
import { html, sendPage } from './html.ts'
import { adminsOnly, nameOfUser, personOf } from './session.ts'
import { watchword } from './watchword.ts'

const OTHERS: Record<string, string> = { api_key: 'The application', scim: 'Your directory', system: 'The service' }

/** The name of the actor: the person that this backend acted for, or the user. */
export function nameOf({ actor }: Pick<Event, 'actor'>, users: Map<string, string>): string {
  const person = actor.on_behalf_of
  // Customers should not see the names of your API keys.
  return person?.name ?? person?.id ?? OTHERS[actor.type] ?? users.get(actor.id ?? '') ?? actor.type
}

/**
 * The names of an organization's users by id, to show with events. If there are many users, look up only those that a
 * page shows.
 */
export async function namesOf(subOrgId: string): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  for await (const user of watchword.users.list({ subOrgId })) names.set(user.id, nameOfUser(user))
  return names
}

export const audit = Router()

audit.get('/audit', adminsOnly, async (_req, res) => {
  const person = personOf(res)
  const { events, names } = await watchword.audit.list({ subOrgId: person.subOrgId, limit: 100 })
  const named = new Map(Object.entries(names))
  const rows = events.map(
    (event) =>
      html`<tr><td>${event.timestamp.slice(0, 19).replace('T', ' ')}</td><td>${nameOf(event, named)}</td><td>${event.type}</td></tr>`,
  )
  sendPage(res, {
    title: 'Audit log',
    person,
    body: html`<div class="scroll"><table><thead><tr><th>When (UTC)</th><th>Who</th><th>What</th></tr></thead>
<tbody>${rows}</tbody></table></div>`,
  })
})
