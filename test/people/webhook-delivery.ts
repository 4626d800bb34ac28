import { webhookDispatch } from '../../src/features/records/deliveries/dispatcher.ts'
import type { Platform } from '../../src/platform/platform.ts'

/** Sends what is due now, and comes to an end. Returns whether there was anything. */
export async function deliverDue(platform: Platform): Promise<boolean> {
  let served = 0
  for (const { claim, serve, places } of webhookDispatch.stalls) {
    const queues = await claim(platform, places)
    await Promise.all(queues.map((queue) => serve(platform, queue)))
    served += queues.length
  }
  return served > 0
}
