import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { until } from '../harness.ts'
import { type SmtpPeer, startSmtpPeer } from '../peers/smtp-peer.ts'
import { makePerson, sendCode } from '../process/kill-load.ts'
import { afterThisTest } from '../process/service.ts'
import { durationOf, quantile } from './answers.ts'
import { breakFor, type Scenario, type Stage } from './stage.ts'

const OUTAGE_SECONDS = 10
const SENDS = 20

/** The mail server refuses connections, and then takes them and says nothing. Every code that was sent is good afterwards. */
export const mailOutage: Scenario = outage()

function outage(): Scenario {
  let peer: SmtpPeer
  const mailsTo = (email: string) => peer.deliveries.filter(({ to }) => to.includes(email))
  const readCode = async (email: string) => {
    const mail = await until(async () => mailsTo(email).at(-1), 90_000)
    const code = mail.email.text?.split('\n').find((line) => /^[a-z]+ [a-z]+$/.test(line))
    if (code === undefined) throw new Error(`The mail to ${email} has no code`)
    return code
  }
  return {
    name: 'mail-outage',
    about: `the mail server is down for ${OUTAGE_SECONDS} s and silent for as long, while codes are sent`,
    kinds: ['link', 'challenge'],
    async prepare() {
      peer = await startSmtpPeer({ withoutStarttls: true })
      afterThisTest(() => peer.stop())
      const env = { SMTP_URL: `smtp://127.0.0.1:${peer.port}`, WATCHWORD_MAIL_FROM: 'login@acme.example' }
      return { env, readCode }
    },
    async run(stage) {
      let tarpit: Awaited<ReturnType<typeof openTarpit>> | null = null
      const emails: string[] = []
      await breakFor(stage, 0, {
        async begin() {
          await peer.stop()
          emails.push(...(await sendCodes(stage, 'down')))
          tarpit = await openTarpit(peer.port)
          emails.push(...(await sendCodes(stage, 'silent')))
        },
        async end() {
          await tarpit?.close()
          await peer.start()
        },
      })
      await until(async () => emails.every((email) => mailsTo(email).length > 0), 90_000)
      const seconds = ((performance.now() - stage.healedAt) / 1000).toFixed(1)
      const twice = emails.filter((email) => mailsTo(email).length > 1)
      stage.notes.push(`${emails.length} mails came within ${seconds} s of its return, ${twice.length} of them twice`)
      noteSends(stage)
    },
  }
}

/** Sends codes to new people, which are presented in the end. */
async function sendCodes({ nodes, journal, violations }: Stage, name: string): Promise<string[]> {
  const [node] = nodes
  if (!node) return []
  const emails: string[] = []
  for (let n = 0; n < SENDS; n++) {
    try {
      const person = await makePerson(node.access.api, journal, { name: `mail-${name}-${n}`, hasApp: false })
      journal.proofs.push(await sendCode(node.access.api, person))
      emails.push(person.email)
    } catch (error) {
      violations.push(`a code was not sent: ${error instanceof Error ? error.message : error}`)
    }
    await delay((OUTAGE_SECONDS * 1000) / SENDS)
  }
  return emails
}

function noteSends({ answers, brokenAt, healedAt, notes }: Stage): void {
  const times = answers
    .filter(
      ({ path, startedAt }) => path === '/v1/auth/login/otp/send' && startedAt >= brokenAt && startedAt < healedAt,
    )
    .map(durationOf)
  const [median, slowest] = [0.5, 1].map((share) => quantile(times, share).toFixed(0))
  notes.push(
    `sending a code took ${median} ms (median), ${slowest} ms at most, while the mail server was down or silent`,
  )
}

/** A mail server that takes connections and says nothing. */
async function openTarpit(port: number) {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined))
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await until(async () => !server.listening)
    },
  }
}
