import type { Bench, Measurement, Row } from '../bench.ts'
import { runJob } from '../child.ts'

/** What the machine reaches without the service. */
export const referenceRows: Row[] = [
  {
    id: 'hash',
    title: 'password hashes alone: argon2id m=19456 t=2 p=1, one a core',
    kind: 'reference',
    unit: '/s',
    targets: [],
    measure: measureHashing,
  },
]

/** Password verifications a second with every core at work. */
export async function measureHashing({ seconds }: Bench): Promise<Measurement> {
  const job = new URL('./hash-job.ts', import.meta.url)
  const { ratePerSecond: value, ...times } = await runJob<{ ratePerSecond: number; p50Ms: number; p99Ms: number }>(
    job,
    {
      seconds,
    },
  )
  return { value, ...times, cpuUs: null, problems: [] }
}
