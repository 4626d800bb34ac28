/** Names of jobs, so that code can enqueue a job without importing its handler. */
export const FORGET = 'webhooks.forget'
export const REPLAY = 'webhooks.replay'
