import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { mailLinkTo, organizationLinkTypes, redeemBody, redeemedAt } from '../../../../test/people/mailed-links.ts'
import { startSecondApp } from '../../../../test/second-app.ts'

const app = await startApp()
const second = await startSecondApp(app)
const tenant = await app.tenant()
const callers = [tenant, second.as(tenant.key)]

/** Events that redeeming a link records exactly once, by type of link. */
const once = {
  magiclink: 'session.created',
  signup: 'user.created',
  invite: 'invite.accepted',
  recovery: 'auth.password_reset.completed',
  verification: 'user.email_verified',
  unlock: 'user.unlocked',
  email_undo: 'user.email_restored',
  not_me: 'auth.login.disowned',
}

test.each(organizationLinkTypes)(
  '%s: of requests with and without subOrgId, through two services, one wins',
  async (type) => {
    const { person, link } = await mailLinkTo(app, tenant, type)
    const { subOrgId, email } = person
    const happened = async () =>
      (await app.events({ accountId: tenant.accountId, type: once[type] })).filter(
        (event) => event.organization_id === subOrgId,
      ).length
    const before = await happened()
    const body = redeemBody(type, email, link.token_hash)
    const bodies = [body, { ...body, subOrgId }]
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, i) => callers[i % 2]?.post(redeemedAt[type], bodies[(i >> 1) % 2])),
    )
    expect(replies.map((reply) => reply?.body.code ?? reply?.status).sort()).toEqual([
      200,
      ...Array(7).fill('token_invalid'),
    ])
    expect(await happened()).toBe(before + 1)
  },
)
