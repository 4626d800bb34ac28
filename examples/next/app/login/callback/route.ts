import { redirect } from 'next/navigation'
import { problemOf, proceed } from '../../../lib/sign-in'
import { forThisRequest, readAttempt } from '../../../lib/watchword'

/** The page to which an identity provider sends the browser back. */
export async function GET(request: Request) {
  const query = new URL(request.url).searchParams
  const { state } = await readAttempt()
  // Otherwise an attacker could sign the browser in to a different account (login CSRF).
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
