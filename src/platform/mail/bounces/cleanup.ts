import { defineCleanup } from '../../jobs/retention.ts'
import { retentions } from './store.ts'

export const cleanUpBounces = defineCleanup('bounces.cleanup', '23 * * * *', retentions)
