import { sql } from 'kysely'
import { noticeDevices } from '../../src/features/sign-in/devices/notices.ts'
import type { Platform } from '../../src/platform/platform.ts'
import { type Caller, type TestApp, until } from '../harness.ts'
import type { Mailbox } from './people.ts'
import { signIn, type Tokens } from './sign-in.ts'

/** From where somebody signs in, as the customer's backend says it. */
export interface TestDevice {
  ip?: string
  userAgent?: string
}

export const LAPTOP: TestDevice = {
  ip: '203.0.113.7',
  userAgent:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36',
}
export const PHONE: TestDevice = {
  ip: '2001:db8:1:2::3',
  userAgent:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1',
}

/** A caller that says of every request from which device it comes. */
export function on({ ip, userAgent }: TestDevice, caller: Caller): Caller {
  const said = {
    ...(ip === undefined ? {} : { 'x-end-user-ip': ip }),
    ...(userAgent === undefined ? {} : { 'x-end-user-agent': userAgent }),
  }
  return { ...caller, post: (path, body, headers) => caller.post(path, body, { ...said, ...headers }) }
}

/** Signs somebody in by a mailed code, from a device. */
export function signInOn(
  app: TestApp,
  caller: Caller,
  { subOrgId, email }: Mailbox,
  device: TestDevice,
): Promise<Tokens> {
  return signIn(app, on(device, caller), subOrgId, email)
}

/** Looks at every sign-in so far. Others may be writing, behind whom nothing is read yet. */
export async function lookAtSignIns({ app: { platform } }: TestApp, others: Platform[] = []): Promise<void> {
  await until(async () => {
    await Promise.all([platform, ...others].map((each) => noticeDevices(each)))
    const { rows } = await sql`
      select from events e join device_cursors c on c.environment_id = e.environment_id
      where e.type = 'session.created' and (e.epoch, e.tx_id, e.id) > (c.epoch, c.tx_id, c.event_id) limit 1`.execute(
      platform.db,
    )
    return rows.length === 0
  })
}

/** Has somebody sign in from a first device and from another, and be told of that. */
export async function signInFromTwo(app: TestApp, caller: Caller, person: Mailbox): Promise<void> {
  for (const device of [LAPTOP, PHONE]) await signInOn(app, caller, person, device)
  await lookAtSignIns(app)
}
