import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { isRendered, readPageAnswer } from '../pages/pages.ts'
import type { Platform } from '../platform.ts'
import { downloadOf, redirectOf, tableOf } from './answer.ts'
import { assertDeclared } from './declared.ts'
import type { SentOnce } from './idempotency.ts'
import { isKept, selectKept } from './kept.ts'
import { mediaOf } from './media.ts'
import { rootPathOf } from './public-url.ts'
import type { Route } from './route.ts'

/** Serializes a response with the serializer of its status. */
export function serialize(route: Route, reply: FastifyReply, { code, body }: Given): string {
  assertDeclared(route, code)
  return code === 204 ? '' : String(reply.code(code).serialize(body))
}

export function sendKept(route: Route, reply: FastifyReply, { status, headers, body, replayed }: SentOnce) {
  reply.code(status).headers(headers)
  if (replayed) reply.header('idempotent-replayed', 'true')
  if (status === 204) return reply.send()
  return reply
    .type(mediaOf(route.media).type)
    .serializer((text: unknown) => String(text))
    .send(body)
}

interface Given {
  code: number
  body: unknown
}

/** Sends a response in the format of its route. Plain JSON uses the compiled serializer of its status. */
export function send(
  route: Route,
  reply: FastifyReply,
  { code, body }: Given,
  platform: Pick<Platform, 'config'>,
): unknown {
  if (isKept(body)) {
    const kept = selectKept(body, reply.request.headers)
    return reply.code(kept.status).headers(kept.headers).send(kept.body)
  }
  const location = route.redirects ? redirectOf(body) : null
  if (location !== null) return reply.redirect(location, route.method === 'GET' ? 302 : 303)
  const csv = route.csv ? tableOf(body) : null
  if (csv !== null)
    return reply
      .type('text/csv; charset=utf-8')
      .serializer((text: unknown) => String(text))
      .send(csv)
  const download = downloadOf(body)
  if (download) return sendDownload(reply, download)
  if (route.auth === 'page' || (route.shows && isRendered(body))) {
    const page = readPageAnswer(body, rootPathOf(platform))
    return page ? reply.code(page.status).headers(page.headers).send(page.content) : reply.callNotFound()
  }
  assertDeclared(route, code)
  if (code === 200 && route.media === 'json') return body
  reply.code(code)
  if (code === 204 || code === 304) return reply.send()
  if (route.media === 'json') return reply.send(body)
  const text = reply.serialize(Object(body))
  // Without an explicit serializer, Fastify adds a charset to the type.
  return reply
    .type(mediaOf(route.media).type)
    .serializer((text: unknown) => String(text))
    .send(text)
}

function sendDownload(reply: FastifyReply, { type, name, pieces }: NonNullable<ReturnType<typeof downloadOf>>) {
  reply.type(`${type}; charset=utf-8`).header('content-disposition', `attachment; filename="${name}"`)
  // For HEAD, Fastify would read the stream to its end.
  if (reply.request.method === 'HEAD') return reply.serializer((text: unknown) => String(text)).send('')
  // The limit is in bytes. By default, sixteen parts would be produced in advance.
  return reply.send(Readable.from(pieces, { objectMode: false, highWaterMark: 64 * 1024 }))
}
