export { noticeReceivers } from './disable.ts'
export { hasWebhook } from './reads.ts'
