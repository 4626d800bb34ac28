import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import tls from 'node:tls'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'

export interface Delivery {
  from: string
  to: string[]
  secure: boolean
  user: string | null | undefined
  email: Email
  raw: string
}

/** A real mail server on a port of its own that keeps what it takes. */
export interface SmtpPeer {
  port: number
  deliveries: Delivery[]
  /** Credentials that clients showed. */
  logins: { user: string | null | undefined; password: string | null | undefined; secure: boolean }[]
  /** Decides on each recipient: an answer such as `550 no` refuses, null accepts. */
  answerRecipient: (address: string) => string | null | Promise<string | null>
  start(): Promise<void>
  stop(): Promise<void>
}

export interface SmtpPeerOptions {
  certificate?: Certificate
  /** Without: no AUTH. */
  password?: string
  /** TLS from the first byte. */
  secure?: boolean
  withoutStarttls?: boolean
}

export interface Certificate {
  key: string
  cert: string
}

/** Makes a self-signed certificate for localhost. */
export function makeCertificate(): Certificate {
  const folder = mkdtempSync(join(tmpdir(), 'watchword-cert-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const request = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost'
  const names = ['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  execFileSync('openssl', [...request.split(' '), ...names, '-keyout', key, '-out', cert], { stdio: 'pipe' })
  const made = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
  rmSync(folder, { recursive: true })
  return made
}

/** Has this process trust the certificate, as NODE_EXTRA_CA_CERTS would. */
export function trust({ cert }: Certificate): void {
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), cert])
}

/** Starts a mail server on a free port of 127.0.0.1. */
export async function startSmtpPeer(options: SmtpPeerOptions = {}): Promise<SmtpPeer> {
  let server: SMTPServer | null = null
  const peer: SmtpPeer = {
    port: 0,
    deliveries: [],
    logins: [],
    answerRecipient: () => null,
    async start() {
      server = buildServer(peer, options)
      server.on('error', () => undefined)
      const listening = server.listen(peer.port, '127.0.0.1')
      await once(listening, 'listening')
      const address = listening.address()
      peer.port = typeof address === 'object' && address ? address.port : 0
    },
    async stop() {
      const running = server
      server = null
      await new Promise<void>((resolve) => (running ? running.close(resolve) : resolve()))
    },
  }
  await peer.start()
  return peer
}

function buildServer(peer: SmtpPeer, options: SmtpPeerOptions): SMTPServer {
  const { certificate, password, secure = false, withoutStarttls = false } = options
  const disabled = [...(withoutStarttls ? ['STARTTLS'] : []), ...(password === undefined ? ['AUTH'] : [])]
  return new SMTPServer({
    secure,
    ...(certificate ?? {}),
    authOptional: password === undefined,
    // A server that takes passwords in clear: the client must not offer them.
    allowInsecureAuth: true,
    disabledCommands: disabled,
    disableReverseLookup: true,
    closeTimeout: 100,
    onAuth(auth, session, done) {
      peer.logins.push({ user: auth.username, password: auth.password, secure: session.secure })
      if (auth.password === password) done(null, { user: auth.username ?? '' })
      else done(new Error('Wrong password'))
    },
    onRcptTo({ address }, _session, done) {
      void Promise.resolve(peer.answerRecipient(address)).then((answer) => {
        if (answer === null) return done()
        const responseCode = Number(answer.slice(0, 3))
        return done(Object.assign(new Error(answer.slice(4)), { responseCode }))
      })
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const raw = Buffer.concat(chunks).toString()
        const { mailFrom, rcptTo } = session.envelope
        void PostalMime.parse(raw).then((email) => {
          peer.deliveries.push({
            from: mailFrom === false ? '' : mailFrom.address,
            to: rcptTo.map(({ address }) => address),
            secure: session.secure,
            user: session.user,
            email,
            raw,
          })
          done()
        }, done)
      })
    },
  })
}
