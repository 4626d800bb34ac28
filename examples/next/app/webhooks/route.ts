import { receiveDelivery } from '@watchword/sdk/next'

/** The ids of events that were already handled. Store yours in your database. */
const handled = new Set<string>()

export async function POST(request: Request): Promise<Response> {
  const secret = process.env.WEBHOOK_SECRET
  if (!secret) return new Response(null, { status: 404 })
  return receiveDelivery(request, secret, (event) => {
    // An event may be delivered more than once.
    if (handled.has(event.id)) return
    handled.add(event.id)
    console.log(`Event: ${event.type}`)
  })
}
