import { redirect } from 'next/navigation'
import { problemOf, proceed } from '../../../lib/sign-in'
import { forThisRequest, readAttempt } from '../../../lib/watchword'

/** Where the browser comes back to from an identity provider. */
export async function GET(request: Request) {
  const query = new URL(request.url).searchParams
  const { state } = await readAttempt()
  // Otherwise an attacker could sign the browser in to another account (login CSRF).
  if (!state || query.get('state') !== state) redirect('/login?problem=other_browser')
  const refusal = query.get('error')
  if (refusal) redirect(`/login?problem=${encodeURIComponent(refusal)}`)
  const client = await forThisRequest()
  const result = await client.tokens.exchange({ code: query.get('code') ?? '' }).catch((error: unknown) => {
    problemOf(error)
    redirect(`/login?problem=${Object(error).code}`)
  })
  await proceed(result)
  redirect('/login')
}
