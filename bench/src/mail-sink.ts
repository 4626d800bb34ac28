import PostalMime from 'postal-mime'
import { SMTPServer } from 'smtp-server'

/** A mail server that keeps the last text sent to each address. */
export interface MailSink {
  url: string
  /** Texts by address, once each address has one. Throws when some have none within `timeoutSeconds`. */
  collect(addresses: string[], timeoutSeconds: number): Promise<Map<string, string>>
  stop(): Promise<void>
}

/** Starts the sink on a free port of 127.0.0.1. */
export async function startMailSink(): Promise<MailSink> {
  const texts = new Map<string, string>()
  let notify = () => {}
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData: (stream, session, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        void PostalMime.parse(Buffer.concat(chunks)).then(({ text }) => {
          for (const { address } of session.envelope.rcptTo) texts.set(address.toLowerCase(), text ?? '')
          done()
          notify()
        }, done)
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const address = server.server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const waitForAll = (addresses: string[], timeoutSeconds: number) =>
    new Promise<void>((resolve, reject) => {
      let missing = addresses
      const fail = () => reject(new Error(`${missing.length} of ${addresses.length} mails did not come`))
      const timer = setTimeout(fail, timeoutSeconds * 1000)
      notify = () => {
        missing = missing.filter((one) => !texts.has(one))
        if (missing.length > 0) return
        clearTimeout(timer)
        resolve()
      }
      notify()
    })
  return {
    url: `smtp://127.0.0.1:${port}`,
    collect: async (addresses, timeoutSeconds) => {
      await waitForAll(addresses, timeoutSeconds)
      return new Map(addresses.map((one) => [one, texts.get(one) ?? '']))
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** The word pair of a mail: two lower-case words with a space, on a line of their own. Throws when there is none. */
export function findWordPair(text: string): string {
  const pair = /^[ \t]*([a-z]+ [a-z]+)[ \t]*$/m.exec(text)?.[1]
  if (!pair) throw new Error(`No word pair in the mail: ${text.slice(0, 300)}`)
  return pair
}
