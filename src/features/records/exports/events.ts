import { Type } from 'typebox'
import { defineEvents } from '../../../platform/events/events.ts'
import { nullable } from '../../../platform/schema.ts'

export const exportEvents = defineEvents({
  exported: [
    'user.exported',
    'A user’s data was exported.',
    Type.Object({
      user_id: nullable(Type.String({ format: 'uuid' })),
      directory_user_id: Type.String({ format: 'uuid' }),
      truncated: Type.Array(Type.String({ examples: ['sessions'] }), {
        description:
          'Kinds of records that were not exported completely, because only 1 000 records of each kind are exported.',
      }),
    }),
  ],
})
