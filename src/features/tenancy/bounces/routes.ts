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
      'Send `email` and `kind`, or the report as `message`. A hard bounce or a complaint suppresses the address until the suppression is cleared. Three soft bounces in 7 days suppress it for 24 hours; soft bounces within one hour count as one. Notices of a change to the account, such as `password_changed`, are still sent after a report. If a hard bounce follows a complaint, the reason of the suppression stays `complaint`. A report with the `Message-ID` of an email counts for the organization that sent the email. A report with `subOrgId`, or with a key of one organization, counts for that organization. Any other report counts for every organization of the environment.',
    body: BounceReport,
    // Twice the limit, because JSON escapes make a message longer.
    bodyLimit: 2 * MAX_REPORT_BYTES,
    messageField: 'message',
    reply: Type.Object({
      bounces: Type.Array(ReportedBounce, { description: 'One result for each recipient of the report.' }),
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
      'Lists addresses that receive no emails. With `subOrgId`, the list contains only suppressions of that organization. Without `subOrgId`, an org-wide key (not limited to one organization) sees all suppressions, including those that apply to the whole environment (`sub_org_id` null). To see every suppression that affects an address, use an org-wide key and omit `subOrgId`.',
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
      'The address receives emails again, and its earlier soft bounces no longer count. Send the suppression’s `sub_org_id` as `subOrgId`. To clear a suppression of the whole environment, use an org-wide key (not limited to one organization) and omit `subOrgId`. Emails that were withheld are not sent later.',
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
