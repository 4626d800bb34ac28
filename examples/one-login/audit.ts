import { Router } from 'express'
import { html, sendPage } from './html.ts'
import { adminsOnly, personOf, signedIn } from './session.ts'
import { callAsBackend, type Named, nameOfUser } from './watchword.ts'

export interface Event {
  id: string
  type: string
  timestamp: string
  sub_org_id: string | null
  actor: { type: string; id: string | null; on_behalf_of: { id: string; name: string | null } | null }
}

const OTHERS: Record<string, string> = { api_key: 'The application', scim: 'Your directory', system: 'The service' }

/** Who did something: the person that this backend acted for, or the user. Gives names to ids. */
export function nameOf({ actor }: Event, users: Map<string, string>): string {
  const person = actor.on_behalf_of
  // Customers should not see the names of your API keys.
  return person?.name ?? person?.id ?? OTHERS[actor.type] ?? users.get(actor.id ?? '') ?? actor.type
}

/** The names of the people of an organization, by id, for events of webhooks. With many people, look up only those that a page shows. */
export async function namesOf(subOrgId: string): Promise<Map<string, string>> {
  const { users } = await callAsBackend<{ users: (Named & { id: string })[] }>(
    'GET',
    `/users?subOrgId=${subOrgId}&limit=200`,
  )
  return new Map(users.map((user) => [user.id, nameOfUser(user)]))
}

export const audit = Router()

audit.get('/audit', signedIn, adminsOnly, async (_req, res) => {
  const person = personOf(res)
  const { events, names } = await callAsBackend<{ events: Event[]; names: Record<string, string> }>(
    'GET',
    `/audit/events?subOrgId=${person.subOrgId}&limit=100`,
  )
  const named = new Map(Object.entries(names))
  const row = (event: Event) =>
    html`<tr><td>${event.timestamp.slice(0, 19).replace('T', ' ')}</td><td>${nameOf(event, named)}</td><td>${event.type}</td></tr>`
  sendPage(res, {
    title: 'Audit log',
    person,
    body: html`<div class="scroll"><table><thead><tr><th>When (UTC)</th><th>Who</th><th>What</th></tr></thead>
<tbody>${events.map(row)}</tbody></table></div>`,
  })
})
