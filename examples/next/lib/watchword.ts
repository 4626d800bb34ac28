import { Watchword } from '@watchword/sdk'
import { nextSessions } from '@watchword/sdk/next'
import { Sessions } from '@watchword/sdk/sessions'
import { TokenVerifier } from '@watchword/sdk/tokens'
import { cookies, headers } from 'next/headers'
import { redirect } from 'next/navigation'

const url = process.env.WATCHWORD_URL ?? 'http://localhost:4000'
/** The URL at which browsers reach this application. */
export const origin = process.env.ORIGIN ?? `http://localhost:${process.env.PORT ?? 3000}`

/** Calls Watchword with the API key of this application. */
export const watchword = new Watchword({ url, apiKey: process.env.WATCHWORD_KEY })

/** The sessions of people who are signed in. */
export const auth = nextSessions({
  cookies,
  headers,
  signedOut: () => redirect('/login'),
  async sessions() {
    const { accountId } = await watchword.apiKeys.getCurrent()
    const verifier = new TokenVerifier({
      issuer: process.env.WATCHWORD_ISSUER ?? url,
      audience: process.env.WATCHWORD_AUDIENCE ?? accountId,
      // Sessions that end elsewhere end here within ten seconds.
      revocations: { client: watchword },
    })
    return new Sessions({ client: watchword, verifier, origin, secret: process.env.COOKIE_SECRET ?? '' })
  },
})

/**
 * The client for the person who sent the request. Behind a proxy, also pass `ip`, because rate limits by network need
 * the address.
 */
export const forThisRequest = async () => watchword.forRequest(await auth.request())

/** Data that the application must remember during a sign-in. */
export interface Attempt {
  email?: string
  otpId?: string
  discoveryToken?: string
  /** The `state` of a sign-in at an identity provider. */
  state?: string
  challenge?: { token: string; subOrgId: string | null }
}

const TEN_MINUTES = 600

/** Stores a sign-in in the browser that started it, so that no other browser can complete it. */
const attemptCookie = async () => (await auth.sessions()).cookie<Attempt>('attempt')

export async function readAttempt(): Promise<Attempt> {
  const request = await auth.request()
  return (await (await attemptCookie()).read(request)) ?? {}
}

export async function keepAttempt(attempt: Attempt): Promise<void> {
  await auth.setCookie(await (await attemptCookie()).write(attempt, TEN_MINUTES))
}

export async function forgetAttempt(): Promise<void> {
  await auth.setCookie((await attemptCookie()).clear())
}
