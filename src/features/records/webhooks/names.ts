/** Jobs by name: who enqueues one need not know who does it. */
export const FORGET = 'webhooks.forget'
export const REPLAY = 'webhooks.replay'
