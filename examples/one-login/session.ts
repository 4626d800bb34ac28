import { type Refusal, requireSession, sessionOf } from '@watchword/sdk/express'
import { type Request, type Response, Router } from 'express'
import { html, sendPage } from './html.ts'
import { sessions, watchword } from './watchword.ts'

/** The person who is signed in, as Watchword describes them now. */
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

/** What to call a user. Directories and identity providers often give no `displayName`. */
export const nameOfUser = ({ displayName, firstName, lastName, email }: Named): string =>
  displayName || [firstName, lastName].filter(Boolean).join(' ') || email

/** Answers a request that is refused: a script with JSON, a person with a page. */
export function refused(req: Request, res: Response, { status, body }: Refusal): void {
  if (req.path.endsWith('/options')) res.status(status).json(body)
  else if (status === 401) res.redirect(303, '/login')
  else {
    const page = html`<p>${body.detail}</p><p><a href="/">Home</a></p>`
    sendPage(res, { title: 'This did not work', status, body: page })
  }
}

/** Lets people pass who are signed in. Watchword looks the session up, so an ended session and an old role open nothing. */
export const signedIn = Router()
signedIn.use(requireSession(sessions, { refused }), async (_req, res, next) => {
  const { user, organization } = await sessionOf(res).user.me.get()
  const { id, subOrgId, email, role } = user
  const person = { id, subOrgId, organization: organization?.name, email, name: nameOfUser(user), role }
  Object.assign(res.locals, { person })
  next()
})

/** Lets administrators of a customer pass. */
export const adminsOnly = Router()
adminsOnly.use(signedIn, (req, res, next) => {
  const detail = 'Only administrators of your organization see this page.'
  if (personOf(res).role === 'admin') next()
  else refused(req, res, { status: 403, body: { code: 'admins_only', detail } })
})

export const personOf = (res: Response): Person => res.locals['person']

/** Calls for the person who is signed in, whose name goes into the audit log of the customer. */
export const watchwordFor = (req: Request, res: Response) => watchword.forRequest(req, { actor: personOf(res) })
