import { setTimeout as delay } from 'node:timers/promises'
import type { Caller } from '../harness.ts'
import { type Access, Interrupted, type Journal, type ProofKind, signIn } from '../process/kill-load.ts'

/** How many callers of each kind ask at once, over all processes of the service. */
const CALLERS: Record<ProofKind, number> = { code: 2, link: 2, challenge: 2 }
const PAUSE_MS = 50
/** Before another attempt after a refusal, which tells soon when the service is well again. */
const RETRY_MS = 100

/** People who sign in, and a reader for each process, whatever the service answers. */
export interface Load {
  /** Answers that are wrong, and not by their status alone. */
  faults: string[]
  /** Begins nothing new, and waits for what is under way. */
  end(): Promise<void>
}

/** Starts the load: each caller asks one of the processes. Refusals and broken connections end no caller. */
export function startLoad(nodes: Access[], journal: Journal, kinds: ProofKind[]): Load {
  const faults: string[] = []
  const tasks = startTasks()
  const repeat = (act: (n: number) => Promise<void>) => {
    tasks.repeat(async (n) => {
      try {
        await act(n)
      } catch (error) {
        if (!(error instanceof Interrupted || error instanceof TypeError))
          faults.push(error instanceof Error ? error.message : String(error))
        await delay(RETRY_MS)
      }
    })
  }
  for (const [at, kind] of kinds.entries())
    for (let index = 0; index < CALLERS[kind]; index++)
      repeat(async (n) => {
        const access = nodes[(at + index) % nodes.length]
        if (access) await signIn(access, journal, { kind, name: `${kind}-${index}-${n}` })
      })
  for (const { api } of nodes) repeat(() => readOnce(api, journal))
  return { faults, end: tasks.end }
}

/** Checks a token and lists the users of its organization. */
async function readOnce(api: Caller, journal: Journal): Promise<void> {
  const session = journal.sessions.at(-1)
  if (!session) return
  const { subOrgId, accessToken } = session
  const told = await api.post('/v1/auth/token/introspect', { subOrgId, token: accessToken })
  if (told.status < 500 && told.body.active !== true) throw new Error(`introspect: ${told.status} ${told.text}`)
  const listed = await api.get(`/v1/users?subOrgId=${subOrgId}`)
  if (listed.status < 500 && listed.body.users?.length !== 1) throw new Error(`users: ${listed.status} ${listed.text}`)
}

/** Repeats things, with a pause after each, until the end. */
export function startTasks() {
  const running: Promise<void>[] = []
  let isEnding = false
  return {
    repeat(act: (n: number) => Promise<void>): void {
      const loop = async () => {
        for (let n = 0; !isEnding; n++) {
          await act(n)
          await delay(PAUSE_MS)
        }
      }
      running.push(loop())
    },
    async end(): Promise<void> {
      isEnding = true
      await Promise.all(running)
    },
  }
}
