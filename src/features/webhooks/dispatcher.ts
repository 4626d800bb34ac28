import { newId } from '../../platform/ids.ts'
import type { Stall } from '../../platform/jobs/dispatcher.ts'
import { fanOut } from './fan-out.ts'
import { claimQueues, type HeldQueue } from './queue-store.ts'
import { serveQueue } from './serve.ts'

// Endpoints in trouble have places of their own: however many hang, the others go on.
const PLACES = { well: 128, troubled: 128 }

const stallOf = (kind: keyof typeof PLACES): Stall<HeldQueue> => ({
  places: PLACES[kind],
  claim: (platform, limit) => claimQueues(platform, { holder: newId(), troubled: kind === 'troubled', limit }),
  serve: serveQueue,
})

/** Hands out events, and sends them. */
export const webhookDispatch = { prepare: fanOut, stalls: [stallOf('well'), stallOf('troubled')] }
