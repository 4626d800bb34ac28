import { httpErrors } from '../../../platform/errors.ts'
import { defineOwnRoute } from '../../../platform/http/own-route.ts'
import { tagOf } from '../../../platform/http/precondition.ts'
import type { Route } from '../../../platform/http/route.ts'
import { MeReply, toMe } from '../../access/self-management/self-management.ts'
import { changeUser } from '../../directory/users/changes/changes.ts'
import { getUser, userErrors, userEvents } from '../../directory/users/users.ts'
import { MePatch } from './schema.ts'
import { findOwnOrganization } from './store.ts'

export const profileRoutes: Route[] = [
  defineOwnRoute({
    method: 'GET',
    path: '/v1/me',
    operation: 'me.get',
    summary: 'Read your profile',
    reply: MeReply,
    etag: true,
    async handle(work) {
      const { db, directory, caller } = work
      const reads = [getUser(work, caller.directoryUserId), findOwnOrganization(db, directory)] as const
      const [user, organization] = await Promise.all(reads)
      work.headers.etag = tagOf(user)
      return { user: await toMe(work, user), organization }
    },
  }),
  defineOwnRoute({
    method: 'PATCH',
    path: '/v1/me',
    operation: 'me.update',
    summary: 'Change your profile',
    description:
      'Omitted fields are not changed, and null clears a field. A new phone number is stored without verification.',
    body: MePatch,
    reply: MeReply,
    errors: [userErrors.scimManaged, httpErrors.versionConflict],
    maybeEvents: [userEvents.updated],
    examples: { body: { displayName: 'Ada L.' } },
    etag: true,
    async handle(work, { body }) {
      const user = await changeUser(work, work.caller.directoryUserId, { patch: body, ifMatch: work.ifMatch })
      work.headers.etag = tagOf(user)
      return { user: await toMe(work, user), organization: await findOwnOrganization(work.db, work.directory) }
    },
  }),
]
