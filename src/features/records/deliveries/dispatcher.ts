import { newId } from '../../../platform/ids.ts'
import type { Stall } from '../../../platform/jobs/dispatcher.ts'
import { fanOut } from './fan-out.ts'
import { serveQueue, type Taken, takeQueues } from './serve.ts'

// Endpoints in trouble have places of their own: however many hang, the others go on. One that begins to hang makes room
// before it is known to be in trouble.
const PLACES = { well: 64, troubled: 128 }
const [PATIENCE_MS, LATE] = [1500, 1024]

const stallOf = (kind: keyof typeof PLACES): Stall<Taken> => ({
  places: PLACES[kind],
  patienceMs: PATIENCE_MS,
  late: kind === 'well' ? LATE : 0,
  claim: (platform, limit) => takeQueues(platform, { holder: newId(), troubled: kind === 'troubled', limit }),
  serve: serveQueue,
})

/** Hands out events, and sends them. */
export const webhookDispatch = { prepare: fanOut, stalls: [stallOf('well'), stallOf('troubled')] }
