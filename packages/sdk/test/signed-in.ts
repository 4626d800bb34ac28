import { freshEmail } from '../../../test/fresh.ts'
import type { Tenant, TestApp } from '../../../test/harness.ts'
import { mailedCode } from '../../../test/people/sign-in.ts'
import { Watchword } from '../src/index.ts'

/** A user of a new organization, who has signed in by a mailed code. */
export async function signedInBySdk(app: TestApp, tenant: Tenant) {
  const watchword = new Watchword({ url: app.baseUrl, apiKey: tenant.key })
  const subOrgId = await tenant.organization()
  const email = freshEmail('ada')
  const { user } = await watchword.users.create({ subOrgId, email })
  const { otp_id } = await watchword.login.otp.send({ subOrgId, email })
  const { session } = await watchword.login.otp.verify({ subOrgId, email, otp_id, code: await mailedCode(app, email) })
  if (!session) throw new Error('no session')
  return { subOrgId, email, user, session }
}

/** What an access token says, unverified. */
export const payloadOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
