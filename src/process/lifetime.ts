import { setTimeout as delay } from 'node:timers/promises'

interface Step {
  name: string
  limitMs: number
  close(): Promise<void>
}

/** Ends a process once. Undoes its start in reverse order, each step within its time limit. */
export interface Lifetime {
  /** Aborted when the end begins. From then on the process is not ready, and a start in progress stops. */
  ending: AbortSignal
  /** Adds a step to run at the end. A step that exceeds its time limit is abandoned. */
  atEnd(name: string, limitMs: number, close: () => Promise<void>): void
  /** Runs after every step, before the process ends. */
  atLast(run: () => void): void
  /** Ends the process. Further calls have no effect. */
  end(exitCode: number): Promise<void>
}

export function beginLifetime(report: (line: string) => void): Lifetime {
  const controller = new AbortController()
  const steps: Step[] = []
  const lasts: (() => void)[] = []
  return {
    ending: controller.signal,
    atEnd(name, limitMs, close) {
      steps.push({ name, limitMs, close })
    },
    atLast(run) {
      lasts.push(run)
    },
    async end(exitCode) {
      if (controller.signal.aborted) return
      controller.abort()
      for (let step = steps.pop(); step; step = steps.pop()) await undo(step, report)
      for (const run of lasts) run()
      process.exit(exitCode)
    },
  }
}

async function undo({ name, limitMs, close }: Step, report: (line: string) => void): Promise<void> {
  const limit = new AbortController()
  const late = delay(limitMs, `took longer than ${limitMs / 1000} s`, { signal: limit.signal }).catch(() => null)
  const done = close().then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
  const problem = await Promise.race([done, late])
  limit.abort()
  if (problem !== null) report(`Stopping: ${name} ${problem}.`)
}

// Ctrl-C arrives once from the terminal, and again from npm, which forwards it to its child.
const ECHO_MS = 500

/** The first SIGINT or SIGTERM ends the process gracefully, and a second one ends it at once. */
export function endOnSignals(lifetime: Lifetime): void {
  let firstAt: number | null = null
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (firstAt !== null && performance.now() - firstAt > ECHO_MS) process.exit(130)
      firstAt ??= performance.now()
      void lifetime.end(0)
    })
}
