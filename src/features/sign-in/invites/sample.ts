import { freshEmail, freshPassword } from '../../../../test/fresh.ts'
import type { TestApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import type { Start } from '../../../../test/people/records.ts'
import type { Samples } from '../../../../test/walkers/samples.ts'

export interface InviteRecords {
  ids: { invite: string; inviteToken: string }
}

export async function makeRecords(_: TestApp, { scoped }: Start): Promise<InviteRecords> {
  const body = { email: freshEmail('ivy'), deliver: false }
  const { invite } = succeeded(await scoped.post('/v1/users/invites', body))
  const inviteToken = new URL(invite.invite_url).searchParams.get('token_hash') ?? ''
  return { ids: { invite: invite.id, inviteToken } }
}

export const samples: Samples = {
  'GET /v1/users/invites': () => ({}),
  'POST /v1/users/invites': () => ({ body: { email: freshEmail() } }),
  'GET /v1/users/invites/{inviteId}': ({ ids }) => ({ params: { inviteId: ids.invite } }),
  'DELETE /v1/users/invites/{inviteId}': ({ ids }) => ({ params: { inviteId: ids.invite } }),
  'POST /v1/users/{userId}/invite': ({ ids }) => ({ params: { userId: ids.user } }),
  'POST /v1/auth/invite/accept': ({ ids }) => ({ body: { token: ids.inviteToken, password: freshPassword() } }),
}

const ROLES = 'needs the scope roles.write too: see roles/new-users.test.ts'
export const notIds = { 'POST /v1/users/invites roleIds': ROLES, 'POST /v1/users/{userId}/invite roleIds': ROLES }
