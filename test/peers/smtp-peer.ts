import { KeyObject } from 'node:crypto'
import { once } from 'node:events'
import tls from 'node:tls'
import 'reflect-metadata'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'

const DAY_MS = 86_400_000

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

/** Makes a self-signed certificate for localhost, and another address if one is given. */
export async function makeCertificate({ ip }: { ip?: string } = {}): Promise<Certificate> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.createSelfSigned({
    keys,
    signingAlgorithm: algorithm,
    name: 'CN=localhost',
    notBefore: new Date(Date.now() - DAY_MS),
    notAfter: new Date(Date.now() + 2 * DAY_MS),
    extensions: [
      // It is its own authority.
      new BasicConstraintsExtension(true, undefined, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      await AuthorityKeyIdentifierExtension.create(keys.publicKey),
      new SubjectAlternativeNameExtension([
        { type: 'dns', value: 'localhost' },
        { type: 'ip', value: '127.0.0.1' },
        ...(ip === undefined ? [] : [{ type: 'ip' as const, value: ip }]),
      ]),
    ],
  })
  const key = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString()
  return { key, cert: certificate.toString('pem') }
}

/** Has this process trust the certificate, as NODE_EXTRA_CA_CERTS would. */
export function trust({ cert }: Certificate): void {
  // Shared process: trusts one more certificate. Only this test server has its key.
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
