import { Type } from 'typebox'
import { anyEvent, toEvent } from '../../../platform/events/event-envelope.ts'
import { STREAM_DAYS, streamErrors } from '../../../platform/events/event-epoch.ts'
import { readStream } from '../../../platform/events/event-stream.ts'
import { readTypes } from '../../../platform/events/event-types.ts'
import { defineRoute, type Route } from '../../../platform/http/route.ts'

export const eventRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/events',
    operation: 'events.list',
    scope: 'events.read',
    directory: 'reach',
    tag: 'Events',
    summary: 'Follow the event stream',
    description:
      'Returns each event exactly once, oldest first. Call again with the last next_cursor. While has_more is true, call again ' +
      `immediately. Without \`after\`, the stream starts ${STREAM_DAYS} days ago. Returns events of one organization. With an ` +
      'org-wide key (not limited to one organization) and without `subOrgId`, returns events of the whole environment. [The catalogue](/docs/events) and the ' +
      '`webhooks` of this document list the event types.',
    query: Type.Object({
      after: Type.Optional(Type.String({ maxLength: 200, description: '`next_cursor` of the previous page.' })),
      types: Type.Optional(
        Type.String({
          maxLength: 2000,
          description: 'Types, separated by commas; `user.*` matches all with that prefix.',
        }),
      ),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 1000, description: 'Default 100. Large events make a page shorter.' }),
      ),
    }),
    reply: Type.Object({
      events: Type.Array(anyEvent, { description: 'Events after the cursor, oldest first.' }),
      has_more: Type.Boolean({ description: 'Whether more events exist. If true, read the next page immediately.' }),
      next_cursor: Type.String({
        description: 'Cursor for the next call. Always present.',
        examples: ['40XWT9-Xl29pafx27PHTegAAYaVdbA37poeYVlyFvQ8XUAfu7mpb6c4JZXwT8LLXQogJqxkJan-VkNEa'],
      }),
    }),
    errors: [streamErrors.cursorExpired],
    async handle(work, { query }) {
      const { after = null, types, limit = 100 } = query
      const filter = types === undefined ? null : readTypes(types)
      const { events, cursor, hasMore } = await readStream(work, after, { types: filter, limit })
      return { events: events.map(toEvent), has_more: hasMore, next_cursor: cursor }
    },
  }),
]
