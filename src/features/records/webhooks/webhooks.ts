import { isServiceEnabled } from '../../../platform/tenancy/services.ts'
import type { EndpointKeeper } from '../deliveries/keeper.ts'
import { disableWebhook } from './changes.ts'
import { openSecret } from './secret.ts'

export { noticeReceivers } from './changes.ts'
export { skipEarlierEvents } from './discard.ts'
export { hasWebhook } from './reads.ts'

/** What deliveries need from webhooks. */
export const webhookKeeper: EndpointKeeper = {
  isOn: (platform, directory) => isServiceEnabled({ platform, directory }, 'webhooks'),
  openSecret,
  disable: disableWebhook,
}
