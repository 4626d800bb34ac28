import { freshEmail, freshPassword } from '../../../../test/fresh.ts'
import type { TestApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import type { Start } from '../../../../test/people/records.ts'
import { mailedLink } from '../../../../test/people/sign-in.ts'
import type { Samples } from '../../../../test/walkers/samples.ts'

/** A user who has a password and was mailed a link to choose another. */
export interface PasswordRecords {
  passwordEmail: string
  password: string
  ids: { passwordUser: string; resetLink: string }
}

export async function makeRecords(app: TestApp, { scoped }: Start): Promise<PasswordRecords> {
  const [email, password] = [freshEmail('gus'), freshPassword()]
  const passwordUser: string = succeeded(await scoped.post('/v1/users', { email })).user.id
  succeeded(await scoped.put(`/v1/users/${passwordUser}/password`, { password }))
  succeeded(await scoped.post('/v1/auth/password/reset/send', { email }))
  const resetLink = (await mailedLink(app, email, 'password_reset')).token_hash
  return { passwordEmail: email, password, ids: { passwordUser, resetLink } }
}

export const samples: Samples = {
  'POST /v1/auth/login/password': ({ passwordEmail, password }) => ({ body: { email: passwordEmail, password } }),
  'POST /v1/auth/password/reset/send': ({ email }) => ({ body: { email } }),
  'POST /v1/auth/password/reset/confirm': ({ ids, passwordEmail }) => ({
    body: { email: passwordEmail, token_hash: ids.resetLink, password: freshPassword() },
  }),
  'POST /v1/users/{userId}/password/reset': ({ ids }) => ({ params: { userId: ids.passwordUser } }),
  'PUT /v1/users/{userId}/password': ({ ids }) => ({
    params: { userId: ids.passwordUser },
    body: { password: freshPassword() },
  }),
}
