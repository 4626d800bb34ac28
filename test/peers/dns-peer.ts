import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import {
  type Answer,
  decode,
  encode,
  type Packet,
  type Question,
  streamDecode,
  streamEncode,
  TRUNCATED_RESPONSE,
} from 'dns-packet'
import { afterAll } from 'vitest'

/** What the DNS says of a name: TXT records, each of one string or several, with the alias that leads there; or how it fails. */
export type DnsAnswer =
  | { texts: (string | string[])[]; alias?: string }
  /** IPv4 addresses, another set each time that it is asked; the last one stays. */
  | { addresses: string[][] }
  | 'servfail'
  | 'silence'

export interface DnsPeer {
  /** For WATCHWORD_DNS_SERVER. */
  address: string
  /** By name; of others it says that there are none. */
  answers: Map<string, DnsAnswer>
  /** What was asked, by UDP and by TCP. */
  asked: { udp: string[]; tcp: string[] }
}

const UDP_BYTES = 512
const [SERVFAIL, NXDOMAIN] = [2, 3]

/** A name server on loopback that ends with the tests of the file. */
export async function startDnsPeer(): Promise<DnsPeer> {
  const { close, ...peer } = await openDnsPeer()
  afterAll(close)
  return peer
}

/** A name server on loopback: UDP, and TCP for answers that are too long for UDP. */
export async function openDnsPeer(wantedPort = 0): Promise<DnsPeer & { close(): void }> {
  const answers: DnsPeer['answers'] = new Map()
  const asked: DnsPeer['asked'] = { udp: [], tcp: [] }
  const tcp = createServer((socket) => answerStream(socket, (query) => respond(query, answers, asked.tcp)))
  tcp.listen(wantedPort, '127.0.0.1')
  await once(tcp, 'listening')
  const address = tcp.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const udp = createSocket('udp4')
  udp.on('message', (message, from) => {
    const response = respond(decode(message), answers, asked.udp)
    if (!response) return
    const whole = encode(response)
    const short = { ...response, answers: [], flags: (response.flags ?? 0) | TRUNCATED_RESPONSE }
    udp.send(whole.length > UDP_BYTES ? encode(short) : whole, from.port, from.address)
  })
  udp.bind(port, '127.0.0.1')
  await once(udp, 'listening')
  const close = () => {
    udp.close()
    tcp.close()
  }
  return { address: `127.0.0.1:${port}`, answers, asked, close }
}

function answerStream(socket: Socket, respondTo: (query: Packet) => Packet | null): void {
  let read = Buffer.alloc(0)
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk) => {
    read = Buffer.concat([read, chunk])
    if (read.length < 2 || read.length < 2 + read.readUInt16BE()) return
    const response = respondTo(streamDecode(read))
    if (response) socket.write(streamEncode(response))
    read = Buffer.alloc(0)
  })
}

function respond({ id, questions = [] }: Packet, answers: DnsPeer['answers'], asked: string[]): Packet | null {
  const name = questions[0]?.name.toLowerCase() ?? ''
  asked.push(name)
  const answer = answers.get(name)
  if (answer === 'silence') return null
  const response = { type: 'response' as const, ...(id === undefined ? {} : { id }), questions }
  if (answer === undefined || answer === 'servfail')
    return { ...response, flags: answer === undefined ? NXDOMAIN : SERVFAIL }
  if ('addresses' in answer) return { ...response, flags: 0, answers: addressesOf(answer.addresses, questions[0]) }
  const { alias, texts } = answer
  const leading: Answer[] = alias === undefined ? [] : [{ type: 'CNAME', name, ttl: 0, data: alias }]
  const records = texts.map((data): Answer => ({ type: 'TXT', name: alias ?? name, ttl: 0, data }))
  return { ...response, flags: 0, answers: [...leading, ...records] }
}

function addressesOf(sets: string[][], question: Question | undefined): Answer[] {
  if (question?.type !== 'A') return []
  const [now = []] = sets.length > 1 ? sets.splice(0, 1) : sets
  return now.map((data): Answer => ({ type: 'A', name: question.name, ttl: 0, data }))
}
