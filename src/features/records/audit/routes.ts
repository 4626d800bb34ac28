import { Type } from 'typebox'
import { invalidField } from '../../../platform/errors.ts'
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { settingsRoutes } from '../../../platform/settings/settings-routes.ts'
import { csvHead, exportAudit, listAudit } from './read.ts'
import { AuditPage, auditQuery } from './schema.ts'
import { AuditSettingsReply, auditSettings } from './settings.ts'

const Cursor = (description: string) => Type.Optional(Type.String({ maxLength: 200, description }))
const after = Cursor('`next_cursor` of the last page.')
const cursor = Cursor('Alias of `after`, as in other lists. Send either `cursor` or `after`.')

const about = { method: 'GET', scope: 'audit.read', directory: 'reach', tag: 'Audit log' } as const

export const auditRoutes: Route[] = [
  defineRoute({
    ...about,
    path: '/v1/audit/events',
    operation: 'audit.list',
    summary: 'Read the audit log',
    description:
      'Lists events, newest first. A page can have fewer events than `limit`, or none, even if more pages follow, because the search runs in steps. ' +
      'Returns events of one organization. With an org-wide key (not limited to one organization) and without `subOrgId`, returns events of the whole environment.',
    query: Type.Object({
      ...auditQuery,
      after,
      cursor,
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 1000, description: 'Maximum events per page. Default 100.' }),
      ),
    }),
    reply: AuditPage,
    handle: (work, { query: { after, cursor, limit = 100, ...query } }) => {
      if (after !== undefined && cursor !== undefined)
        throw invalidField('cursor', 'ambiguous', 'cursor is an alias of after: send only one of them')
      return listAudit(work, query, { after: after ?? cursor ?? null, limit })
    },
  }),
  defineRoute({
    ...about,
    path: '/v1/audit/export',
    operation: 'audit.export',
    longRunning: true,
    summary: 'Export the audit log',
    description: 'Streams all matching events, newest first. An interrupted export ends with a broken connection.',
    query: Type.Object({
      ...auditQuery,
      after,
      format: Type.Optional(Type.Enum(['csv', 'ndjson'], { description: 'Default ndjson, or csv by `Accept`.' })),
    }),
    downloads: {
      'application/x-ndjson': '{"id":"evt_0198b6f2-7c1b-7e05-8a63-c94d1b2e7f30","type":"user.created"}\n',
      'text/csv': csvHead,
    },
    handle: (work, { query: { format, after = null, ...query } }) =>
      exportAudit(work, query, { after, format: format ?? (/^text\/csv\b/i.test(work.accept) ? 'csv' : 'ndjson') }),
  }),
  ...settingsRoutes(auditSettings, {
    tag: 'Audit log',
    noun: 'audit',
    scopes: { read: 'audit.read', write: 'auth.settings.write' },
    get: { path: '/v1/audit/settings', summary: 'Read audit settings' },
    update: { path: '/v1/audit/settings', summary: 'Change audit settings' },
    updateDefaults: {
      path: '/v1/audit/settings/defaults',
      summary: 'Change the default audit settings',
    },
    body: Type.Object(auditSettings.patchBody),
    reply: AuditSettingsReply,
    examples: {
      body: { retention_days: 730 },
      reply: { settings: { retention_days: 730 } },
      sources: { retention_days: 'directory' },
    },
    read: async (work) => ({ settings: await auditSettings.effective(work) }),
    change: async (work, patch) => ({ settings: await auditSettings.update(work, patch) }),
  }),
]
