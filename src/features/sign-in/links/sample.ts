import { freshEmail } from '../../../../test/fresh.ts'
import type { TestApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import type { Start } from '../../../../test/people/records.ts'
import { mailedLink } from '../../../../test/people/sign-in.ts'
import type { Samples } from '../../../../test/walkers/samples.ts'

/** A user with an unverified address who was sent a sign-in link. */
export interface LinkRecords {
  linkEmail: string
  ids: { linkUser: string; magicLink: string }
}

export async function makeRecords(app: TestApp, { scoped }: Start): Promise<LinkRecords> {
  const email = freshEmail('dan')
  const { user } = succeeded(await scoped.post('/v1/users', { email }))
  succeeded(await scoped.post('/v1/auth/login/magic-link/send', { email }))
  const magicLink = (await mailedLink(app, email, 'magic_link')).token_hash
  return { linkEmail: email, ids: { linkUser: user.id, magicLink } }
}

export const samples: Samples = {
  'POST /v1/auth/login/magic-link/send': ({ email }) => ({ body: { email } }),
  'POST /v1/auth/login/magic-link/verify': ({ ids, linkEmail }) => ({
    body: { email: linkEmail, token_hash: ids.magicLink },
  }),
}
