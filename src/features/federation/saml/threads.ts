import { defineThreadWork, type MessageOwner } from '../xml/message-pool.ts'
import { readVerdict } from '../xml/verdict.ts'
import type * as messageWorker from './message-worker.ts'

const inThread = defineThreadWork<typeof messageWorker>(new URL('./message-worker.ts', import.meta.url))

/** Checks a posted response in a thread. Throws XmlRefusal, and `unavailable` if too many messages wait. */
export async function verifyResponse(work: MessageOwner, task: Parameters<typeof messageWorker.verifyResponse>[0]) {
  return readVerdict(await inThread(work, { name: 'verifyResponse', bytes: task.response.length }, task))
}

/** Verifies a logout message in a thread and, for a request, reads its NameID. Throws what `judgeResponse` throws. */
export async function verifyLogout(work: MessageOwner, task: messageWorker.LogoutTask) {
  return readVerdict(await inThread(work, { name: 'verifyLogout', bytes: task.message.length }, task))
}
