import { freshEmail } from '../../../../test/fresh.ts'
import type { TestApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import type { Start } from '../../../../test/people/records.ts'
import { signIn } from '../../../../test/people/sign-in.ts'
import type { Samples } from '../../../../test/walkers/samples.ts'

/** A user who may be impersonated. */
export interface ImpersonationRecords {
  ids: { impersonated: string }
}

export async function makeRecords(
  app: TestApp,
  { scoped, ids }: Start & { ids: { organization: string } },
): Promise<ImpersonationRecords> {
  const email = freshEmail('acted')
  const { user } = succeeded(await scoped.post('/v1/users', { email }))
  await signIn(app, scoped, ids.organization, email)
  succeeded(await scoped.patch('/v1/auth/settings', { impersonation_enabled: true }))
  return { ids: { impersonated: user.id } }
}

export const samples: Samples = {
  'POST /v1/users/{userId}/impersonate': ({ ids }) => ({
    params: { userId: ids.impersonated },
    body: { reason: 'Ticket 4711', actor: 'grace@support.example' },
  }),
}
