import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { decodeJwt } from 'jose'
import { afterAll } from 'vitest'
import { freshEmail } from '../fresh.ts'
import { type Tenant, type TestApp, until } from '../harness.ts'
import { untilWaiting } from '../in-order.ts'
import { signedInUser } from '../people/sign-in.ts'

// The text of a program that runs in a process of its own.
const TELLING = `import { subscribe } from 'node:diagnostics_channel'
subscribe('http.server.request.start', ({ request }) => process.send(request.url))`

const asImport = (program: string) => ['--import', `data:text/javascript,${encodeURIComponent(program)}`]

const running: ChildProcess[] = []

export interface Example {
  process: ChildProcess
  /** The requests that it got, and what else it said. */
  told: string[]
}

/** Starts an application of examples/, after other programs, and waits until it answers. It ends with the tests of the file. */
export async function startExample(
  name: string,
  env: Record<string, string> & { PORT: string },
  before: string[] = [],
): Promise<Example> {
  const started = spawn(process.execPath, [...[TELLING, ...before].flatMap(asImport), 'server.ts'], {
    cwd: fileURLToPath(new URL(`../../examples/${name}`, import.meta.url)),
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  running.push(started)
  const told: string[] = []
  started.on('message', (said) => void told.push(String(said)))
  await until(() => fetch(`http://localhost:${env.PORT}`).catch(() => null))
  return { process: started, told }
}

/** Ends what startExample has started when the tests of this file end. */
export function endExamples(): void {
  afterAll(() => running.splice(0).forEach((each) => void each.kill()))
}

/** Holds the answer to any refresh of a session until the example was asked so often for a path. */
export function holdRefreshUntil(
  app: TestApp,
  { told }: Example,
  { sessionId, path, times }: { sessionId: unknown; path: string; times: number },
  ask: () => Promise<unknown>,
) {
  told.length = 0
  return app.app.platform.tx(async (tx) => {
    await tx.selectFrom('sessions').select('id').where('id', '=', String(sessionId)).forUpdate().execute()
    const answers = ask()
    await until(async () => told.filter((said) => said.startsWith(path)).length === times)
    await untilWaiting(app.app.platform, 1)
    return { answers }
  })
}

/** The issuer of the tokens of this account. */
export async function issuerOf(app: TestApp, tenant: Tenant): Promise<string> {
  const { session } = await signedInUser(app, tenant, await tenant.organization(), freshEmail())
  return decodeJwt(session.access_token).iss ?? ''
}
