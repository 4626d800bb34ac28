import { expect, test } from 'vitest'
import type { Reply } from '../harness.ts'
import { startSocial } from '../peers/social-peer.ts'
import { succeeded } from '../people/factors.ts'
import { newUser, sessionsIn } from '../people/people.ts'
import { discoverAtPeer, signInAtPeer, switchOn, vouched } from '../people/social-discovery.ts'
import { startProcesses } from './processes.ts'

const { app, tenant, google } = await startSocial()
const processes = await startProcesses(app, 2)
const callers = processes.map((running) => running.as(tenant.key))
await switchOn(tenant)

/** The same request many times at once, in turn on each process. */
function atOnce(path: string, body: object): Promise<Reply[]> {
  return Promise.all(
    Array.from({ length: 30 }, (_, i) => {
      const caller = callers[i % callers.length]
      if (!caller) throw new Error('No process')
      return caller.post(path, body)
    }),
  )
}

const countOf = (replies: Reply[], status: number) => replies.filter((reply) => reply.status === status).length

async function userIn() {
  const subOrgId = await tenant.organization()
  succeeded(await tenant.put('/v1/social/providers', { subOrgId, provider: 'google', enabled: true }))
  const claims = vouched()
  await newUser(tenant, { subOrgId, email: claims.email })
  return { subOrgId, claims }
}

test('one code in 30 requests at once on two processes gives one discovery token', async () => {
  const { claims } = await userIn()
  const { code } = await signInAtPeer(app, tenant, { peer: google, claims })
  const replies = await atOnce('/v1/auth/token/exchange', { code })
  expect([countOf(replies, 200), countOf(replies, 400)]).toEqual([1, 29])
})

test('one discovery token in 30 requests at once on two processes gives one session, whether or not there is a link', async () => {
  const { subOrgId, claims } = await userIn()
  for (const sessions of [1, 2]) {
    const { discovery_token } = await discoverAtPeer(app, tenant, { peer: google, claims })
    const replies = await atOnce('/v1/auth/discovery/exchange', { subOrgId, discovery_token })
    expect([countOf(replies, 200), countOf(replies, 400)]).toEqual([1, 29])
    expect(await sessionsIn(tenant, subOrgId)).toHaveLength(sessions)
  }
})
