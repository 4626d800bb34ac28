/** In a directory. */
export const MAX_WEBHOOKS = 50

/** Requests at the same time to one endpoint. */
export const CONCURRENCY = 4

/** How long deliveries are kept, as far as the stream can be read. */
export const KEPT_DAYS = 30
