import { once } from 'node:events'
import http from 'node:http'

export interface SmsRequest {
  method: string | undefined
  url: string | undefined
  headers: http.IncomingHttpHeaders
  form: Record<string, string>
}

/** What the provider answers: status and JSON. */
export type SmsAnswer = [status: number, body: object]

/** A real HTTP server on a port of its own that takes messages as Twilio's Messages resource does. */
export interface SmsPeer {
  port: number
  /** Each request, also those that are refused. */
  requests: SmsRequest[]
  /** Decides on each message. */
  answer: (form: Record<string, string>) => SmsAnswer | Promise<SmsAnswer>
  start(): Promise<void>
  stop(): Promise<void>
}

/** Twilio's answer to a message that it takes: 201, and the message as a resource. */
export const takeSms: SmsPeer['answer'] = ({ To, From, Body }) => [
  201,
  { sid: `SM${'0'.repeat(32)}`, status: 'queued', to: To, from: From, body: Body, error_code: null },
]

/** Twilio's answer to one that it refuses, which quotes the number. */
export function refuseSms(status: number, code: number): SmsPeer['answer'] {
  return ({ To }) => [status, { code, message: `${To} is not valid`, more_info: 'https://www.twilio.com/docs', status }]
}

/** Starts a provider on a free port of 127.0.0.1. */
export async function startSmsPeer(): Promise<SmsPeer> {
  let server: http.Server | null = null
  const peer: SmsPeer = {
    port: 0,
    requests: [],
    answer: takeSms,
    async start() {
      server = http.createServer((request, response) => void handle(peer, request, response))
      server.listen(peer.port, '127.0.0.1')
      await once(server, 'listening')
      const address = server.address()
      peer.port = typeof address === 'object' && address ? address.port : 0
    },
    async stop() {
      const running = server
      server = null
      if (!running) return
      running.closeAllConnections()
      running.close()
      await once(running, 'close')
    },
  }
  await peer.start()
  return peer
}

async function handle(peer: SmsPeer, request: http.IncomingMessage, response: http.ServerResponse) {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  const { method, url, headers } = request
  const form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()))
  peer.requests.push({ method, url, headers, form })
  const [status, body] = await peer.answer(form)
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
