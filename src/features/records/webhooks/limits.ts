/** Per directory. */
export const MAX_WEBHOOKS = 50
