import type { Caller, Reply } from '../harness.ts'

/** A request without an answer for so long has none. */
const NO_ANSWER_MS = 30_000

/** One request and what came of it. */
export interface Answer {
  path: string
  isRead: boolean
  /** Which process of the service was asked. */
  node: number
  startedAt: number
  endedAt: number
  /** Null: the connection broke, or no answer came in time. */
  status: number | null
  /** Told to come again, by `Retry-After`. */
  isRefusal: boolean
  text: string
}

/** A caller that notes every answer. `getApi` is asked before each request: a process that restarts has another address. */
export function noteAnswers(getApi: () => Caller, node: number, answers: Answer[]): Caller {
  const noted = async (path: string, isGet: boolean, ask: (api: Caller) => Promise<Reply>): Promise<Reply> => {
    const startedAt = performance.now()
    const isRead = isGet || path.endsWith('/introspect')
    const note = (reply: Reply | null, text: string) => {
      const status = reply?.status ?? null
      const isRefusal = status === 503 && reply?.headers.has('retry-after') === true
      answers.push({ path, isRead, node, startedAt, endedAt: performance.now(), status, isRefusal, text })
    }
    try {
      const reply = await orNoAnswer(ask(getApi()), path)
      note(reply, reply.text)
      return reply
    } catch (error) {
      // Anything else breaks the contract of the API, and is a fault of the caller's own.
      if (error instanceof TypeError) note(null, error.message)
      throw error
    }
  }
  return {
    get: (path, headers) => noted(path, true, (api) => api.get(path, headers)),
    post: (path, body, headers) => noted(path, false, (api) => api.post(path, body, headers)),
    put: (path, body, headers) => noted(path, false, (api) => api.put(path, body, headers)),
    patch: (path, body, headers) => noted(path, false, (api) => api.patch(path, body, headers)),
    delete: (path, headers, body) => noted(path, false, (api) => api.delete(path, headers, body)),
  }
}

async function orNoAnswer(reply: Promise<Reply>, path: string): Promise<Reply> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new TypeError(`${path} was not answered in time`)), NO_ANSWER_MS)
  reply.catch(() => undefined)
  try {
    return await Promise.race([reply, promise])
  } finally {
    clearTimeout(timer)
  }
}

/** A value that a share of the values does not exceed, such as 0.99 for p99; 0 without values. */
export function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0
}

export const durationOf = ({ startedAt, endedAt }: Answer) => endedAt - startedAt
