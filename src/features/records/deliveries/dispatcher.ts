import { newId } from '../../../platform/ids.ts'
import type { Stall } from '../../../platform/jobs/dispatcher.ts'
import { fanOut } from './fan-out.ts'
import { serveQueue, type Taken, takeQueues } from './serve.ts'

// Troubled endpoints have separate places, so that the others are served even if many troubled ones hang. An endpoint
// that begins to hang gives up its place even before it counts as troubled.
const PLACES = { well: 64, troubled: 128 }
const [PATIENCE_MS, LATE] = [1500, 1024]

const stallOf = (kind: keyof typeof PLACES): Stall<Taken> => ({
  places: PLACES[kind],
  patienceMs: PATIENCE_MS,
  late: kind === 'well' ? LATE : 0,
  claim: (platform, limit) => takeQueues(platform, { holder: newId(), troubled: kind === 'troubled', limit }),
  serve: serveQueue,
})

/** Creates the deliveries of new events, and sends them. */
export const webhookDispatch = { prepare: fanOut, stalls: [stallOf('well'), stallOf('troubled')] }
