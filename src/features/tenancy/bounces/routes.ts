import { Type } from 'typebox'
import { byAge, finishPage, listQuery, readPage } from '../../../platform/http/pagination.ts'
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { isId } from '../../../platform/ids.ts'
import { requireEmail } from '../../../platform/mail/address.ts'
import { clearSuppression } from '../../../platform/mail/bounces/bounces.ts'
import { bounceEvents } from '../../../platform/mail/bounces/events.ts'
import { MAX_REPORT_BYTES } from '../../../platform/mail/bounces/report.ts'
import { toSuppression } from '../../../platform/mail/bounces/schema.ts'
import { findSuppressionPage } from '../../../platform/mail/bounces/store.ts'
import { Success } from '../../../platform/schema.ts'
import { bounceErrors } from './errors.ts'
import { reportBounces } from './report.ts'
import { BounceReport, ReportedBounce, SuppressionList, SuppressionParams } from './schema.ts'

const tag = 'Mail'

export const bounceRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/v1/mail/bounces',
    operation: 'mail.reportBounce',
    scope: 'mail.write',
    directory: 'one-or-account',
    tag,
    summary: 'Report a bounce or complaint',
    description:
      'A hard bounce or a complaint suppresses the address until it is cleared; three soft bounces in 7 days suppress it ' +
      'for 24 hours, where those within an hour count once. No report withholds notices of a change to the account, such ' +
      'as `password_changed`. A complaint stays the reason of a suppression after hard bounces. Send `email` and `kind`, or the report as `message`. A report about an email, by its `Message-ID`, ' +
      'counts for the organization that sent it; one that names `subOrgId`, or with a key of one organization, for that ' +
      'organization; any other for every organization of the environment.',
    body: BounceReport,
    // Twice the limit, because JSON escapes make a message longer.
    bodyLimit: 2 * MAX_REPORT_BYTES,
    messageField: 'message',
    reply: Type.Object({
      bounces: Type.Array(ReportedBounce, { description: 'One for each recipient of the report.' }),
    }),
    maybeEvents: [bounceEvents.bounced, bounceEvents.suppressed],
    examples: { body: { email: 'ada@acme.example', kind: 'hard', provider_id: 'bounce-0001' } },
    async handle(work, { body }) {
      return { bounces: await reportBounces(work, body) }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/mail/suppressions',
    operation: 'mail.listSuppressions',
    scope: 'mail.read',
    directory: 'reach',
    tag,
    summary: 'List suppressed addresses',
    description:
      'Addresses that receive no emails. Those of the whole environment have `sub_org_id` null; only org-wide keys see ' +
      'them, without `subOrgId`: with it the list has those of that organization alone. To see all that hold for an ' +
      'address, leave `subOrgId` out.',
    query: Type.Object({
      email: Type.Optional(
        Type.String({
          minLength: 3,
          maxLength: 320,
          description: 'Only this address. Case does not matter.',
          examples: ['ada@acme.example'],
        }),
      ),
      ...listQuery,
    }),
    reply: SuppressionList,
    async handle({ platform, db, reach, headers }, { query }) {
      const page = readPage(platform, '/v1/mail/suppressions', query)
      const emailNorm = query.email === undefined ? null : requireEmail(query.email).norm
      const found = await findSuppressionPage(db, reach, emailNorm, page)
      const { rows, reply } = finishPage({ platform, headers }, page, found, byAge)
      return { suppressions: rows.map((row) => toSuppression(row, row.organization_id)), ...reply }
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/mail/suppressions/{suppressionId}',
    operation: 'mail.deleteSuppression',
    scope: 'mail.write',
    directory: 'one-or-account',
    tag,
    summary: 'Clear a suppressed address',
    description:
      'The address receives emails again, and its soft bounces are forgotten. `subOrgId` is that of the suppression; ' +
      'without one an org-wide key clears one of the whole environment. Emails that were withheld are not sent later.',
    params: SuppressionParams,
    reply: Success,
    errors: [bounceErrors.suppressionNotFound],
    event: bounceEvents.cleared,
    async handle(work, { params: { suppressionId } }) {
      const id = suppressionId.toLowerCase()
      if (!isId(id) || !(await clearSuppression(work, id))) throw bounceErrors.suppressionNotFound()
      return { success: true }
    },
  }),
]
