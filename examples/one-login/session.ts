import { type Refusal, requireSession, sessionOf } from '@watchword/sdk/express'
import { type Request, type Response, Router } from 'express'
import { html, sendPage } from './html.ts'
import { sessions, watchword } from './watchword.ts'

/** The current data of the person who is signed in. */
export interface Person {
  id: string
  subOrgId: string
  /** The name of the organization. */
  organization: string
  email: string
  name: string
  role: string
}

interface Named {
  email: string
  displayName: string | null
  firstName: string | null
  lastName: string | null
}

/** The name to show for a user. Directories and identity providers often send no `displayName`. */
export const nameOfUser = ({ displayName, firstName, lastName, email }: Named): string =>
  displayName || [firstName, lastName].filter(Boolean).join(' ') || email

/** Responds to a refused request, with JSON for a script and with a page for a person. */
export function refused(req: Request, res: Response, { status, body }: Refusal): void {
  if (req.path.endsWith('/options')) res.status(status).json(body)
  else if (status === 401) res.redirect(303, '/login')
  else {
    const page = html`<p>${body.detail}</p><p><a href="/">Home</a></p>`
    sendPage(res, { title: 'This did not work', status, body: page })
  }
}

/**
 * Admits people who are signed in. Watchword looks up the session, so an ended session or an outdated role gives no
 * access.
 */
export const signedIn = Router()
signedIn.use(requireSession(sessions, { refused }), async (_req, res, next) => {
  const { user, organization } = await sessionOf(res).user.me.get()
  const { id, subOrgId, email, role } = user
  const person = { id, subOrgId, organization: organization?.name, email, name: nameOfUser(user), role }
  Object.assign(res.locals, { person })
  next()
})

/** Admits administrators of a customer. */
export const adminsOnly = Router()
adminsOnly.use(signedIn, (req, res, next) => {
  const detail = 'Only administrators of your organization see this page.'
  if (personOf(res).role === 'admin') next()
  else refused(req, res, { status: 403, body: { code: 'admins_only', title: 'Administrators only', detail } })
})

export const personOf = (res: Response): Person => res.locals['person']

/** Calls Watchword for the person who is signed in. The customer's audit log shows the person's name. */
export const watchwordFor = (req: Request, res: Response) => watchword.forRequest(req, { actor: personOf(res) })
