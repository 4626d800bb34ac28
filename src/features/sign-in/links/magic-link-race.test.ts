import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { newEmail } from '../../../../test/people/people.ts'
import { mailedLink } from '../../../../test/people/sign-in.ts'
import { startSecondApp } from '../../../../test/second-app.ts'

const app = await startApp()
const second = await startSecondApp(app)
const tenant = await app.tenant()
const callers = [tenant, second.as(tenant.key)]

test.each([true, false])(
  'one link in 100 requests at once, through two services, opens one session',
  async (isFirst) => {
    const subOrgId = await tenant.organization()
    const email = newEmail()
    await tenant.post('/v1/users', { subOrgId, email })
    const send = async () => {
      await tenant.post('/v1/auth/login/magic-link/send', { subOrgId, email })
      return { subOrgId, email, token_hash: (await mailedLink(app, email, 'magic_link')).token_hash }
    }
    const verify = (i: number, body: object) => callers[i % 2]?.post('/v1/auth/login/magic-link/verify', body)
    // The first proof of a mailbox takes a transaction, and every later proof a single statement.
    const earlier = isFirst ? 0 : 1
    if (!isFirst) expect((await verify(0, await send()))?.status).toBe(200)
    const body = await send()
    const replies = await Promise.all(Array.from({ length: 100 }, (_, i) => verify(i, body)))
    const codes = replies.map((reply) => reply?.body.code ?? 'session').sort()
    expect(codes).toEqual(['session', ...Array(99).fill('token_invalid')].sort())
    const listed = await tenant.get(`/v1/sessions?subOrgId=${subOrgId}`)
    expect(listed.body.users[0].sessions).toHaveLength(earlier + 1)
    const events = await app.events({ accountId: tenant.accountId, type: 'session.created' })
    expect(events.filter((event) => event.organization_id === subOrgId)).toHaveLength(earlier + 1)
  },
)
