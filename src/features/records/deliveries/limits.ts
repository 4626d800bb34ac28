/** How many requests may run at the same time to one endpoint. */
export const CONCURRENCY = 4

/** How long deliveries are kept: as long as the event stream can be read. */
export const KEPT_DAYS = 30

/** The only event type that is sent on request and never to subscribers. */
export const TEST_TYPE = 'webhook.test'
