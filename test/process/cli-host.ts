import { AsyncLocalStorage } from 'node:async_hooks'
import { runCli } from '../../src/cli/program.ts'

// A process of its own that runs one command after the other, as the command line does it: to load it anew for each took
// a tenth of the time of all tests.

export interface CliRequest {
  id: number
  env: Record<string, string>
  args: string[]
}

export interface CliAnswer {
  id: number
  code: number
  stdout: string
  stderr: string
}

type Printed = Pick<CliAnswer, 'stdout' | 'stderr'>

const printing = new AsyncLocalStorage<Printed>()

for (const name of ['stdout', 'stderr'] as const)
  process[name].write = (text: string | Uint8Array) => {
    const printed = printing.getStore()
    if (printed) printed[name] += String(text)
    return true
  }

async function answer({ id, env, args }: CliRequest): Promise<CliAnswer> {
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  const printed: Printed = { stdout: '', stderr: '' }
  const code = await printing.run(printed, () => runCli([process.execPath, 'watchword', ...args]))
  return { id, code, ...printed }
}

process.on('message', async (request: CliRequest) => {
  process.send?.(await answer(request))
})

process.on('disconnect', () => process.exit())
