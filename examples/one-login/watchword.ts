import { randomBytes } from 'node:crypto'
import { Watchword } from '@watchword/sdk'
import { Sessions } from '@watchword/sdk/sessions'
import { TokenVerifier } from '@watchword/sdk/tokens'

const { env } = process
const url = env['WATCHWORD_URL'] ?? 'http://localhost:4000'
if (!env['WATCHWORD_KEY']) throw new Error('Set WATCHWORD_KEY to an org-wide API key of Watchword.')

/** Calls Watchword with your API key. */
export const watchword = new Watchword({ url, apiKey: env['WATCHWORD_KEY'] })

/** The URL at which browsers reach this application. */
export const origin = env['ORIGIN'] ?? `http://localhost:${env['PORT'] ?? 3000}`

/** The session of the person who is signed in, in a sealed cookie. */
export const sessions = new Sessions({
  client: watchword,
  verifier: new TokenVerifier({
    issuer: env['WATCHWORD_ISSUER'] ?? url,
    audience: env['WATCHWORD_AUDIENCE'] ?? (await watchword.apiKeys.getCurrent()).accountId,
  }),
  origin,
  secret: env['COOKIE_SECRET'] ?? randomBytes(32).toString('base64'),
})
