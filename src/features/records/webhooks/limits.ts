/** In a directory. */
export const MAX_WEBHOOKS = 50
