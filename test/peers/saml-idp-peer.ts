import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'
import type { ProviderPair } from './saml-messages.ts'

/** How the identity provider of `saml-idp.ts` behaves. */
export interface IdpSettings {
  /** The first signs; all are in the metadata. */
  pairs: ProviderPair[]
  /** Where the service answers, whatever it calls itself. */
  serviceOrigin: string
  signs: 'assertion' | 'response' | 'both'
  isEncrypted: boolean
  /** Of its metadata. */
  validUntil: string | null
  /** Its clock. */
  aheadSeconds: number
  /** Before it answers anything but its metadata. */
  slowMs: number
}

export interface IdpPeer {
  origin: string
  metadataUrl: string
  change(settings: Partial<IdpSettings>): Promise<void>
  /** Takes a request to it as a browser does that somebody is signed in with: the response that it has posted. */
  signIn(authorizationUrl: string, user: string): Promise<{ xml: string; relayState: string; action: string }>
}

/** Starts the provider in a process of its own, until the tests of the file are over. */
export async function startIdp(
  settings: Pick<IdpSettings, 'pairs' | 'serviceOrigin'> & Partial<IdpSettings>,
): Promise<IdpPeer> {
  const all: IdpSettings = {
    signs: 'assertion',
    isEncrypted: false,
    validUntil: null,
    aheadSeconds: 0,
    slowMs: 0,
    ...settings,
  }
  const program = fileURLToPath(new URL('saml-idp.ts', import.meta.url))
  const child = spawn(process.execPath, [program, JSON.stringify(all)], { stdio: ['ignore', 'pipe', 'inherit'] })
  afterAll(async () => {
    child.kill()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  const [origin] = await once(createInterface(child.stdout), 'line')
  return {
    origin,
    metadataUrl: `${origin}/metadata`,
    async change(changes) {
      await fetch(`${origin}/settings`, { method: 'POST', body: JSON.stringify(changes) })
    },
    async signIn(authorizationUrl, user) {
      const reply = await fetch(`${authorizationUrl}&as=${encodeURIComponent(user)}`)
      const html = await reply.text()
      const field = (pattern: RegExp) => pattern.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''
      const posted = field(/name="SAMLResponse" value="([^"]*)"/)
      if (posted === '') throw new Error(`The provider did not respond: ${reply.status} ${html}`)
      return {
        xml: Buffer.from(posted, 'base64').toString(),
        relayState: field(/name="RelayState" value="([^"]*)"/),
        action: field(/action="([^"]*)"/),
      }
    },
  }
}
