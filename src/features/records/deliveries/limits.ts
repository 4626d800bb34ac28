/** Requests at the same time to one endpoint. */
export const CONCURRENCY = 4

/** How long deliveries are kept, as far as the stream can be read. */
export const KEPT_DAYS = 30

/** The only type of event that is sent on request, and never to subscribers. */
export const TEST_TYPE = 'webhook.test'
