import { Type } from 'typebox'
import { COVER_TYPE } from '../../../platform/events/erased.ts'
import { defineEvents } from '../../../platform/events/events.ts'
import { nullable } from '../../../platform/schema.ts'

const Position = Type.Object({
  epoch: Type.Integer({ description: 'Epoch of the event stream.' }),
  txId: Type.String({ description: 'Transaction that recorded the event.' }),
  id: Type.String({ format: 'uuid', description: 'The event.' }),
})

export const auditEvents = defineEvents({
  erased: [
    COVER_TYPE,
    'An organization was erased, and with it the personal parts of its earlier events.',
    Type.Object(
      {
        subOrgId: Type.String({ format: 'uuid', description: 'The organization that was erased.' }),
        through: nullable(Position, 'All events of the directory up to this one. Null if only those of `eventIds`.'),
        eventIds: nullable(
          Type.Array(Type.String({ format: 'uuid' })),
          'The erased events. Null if all up to `through`.',
        ),
        seal: Type.String({ description: 'Keyed hash of the above, which `watchword audit verify` checks.' }),
      },
      {
        examples: [
          {
            subOrgId: '0198b6f2-50b7-7c92-a6e3-1d8f4b7092ce',
            through: null,
            eventIds: ['0198b6f2-7c1b-7e05-8a63-c94d1b7f20e8'],
            seal: 'b6c1f0…',
          },
        ],
      },
    ),
  ],
})
