import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Awaitable } from '../awaitable.ts'

/** A step of a request as the framework calls it: one that has nothing to wait for goes on at once. */
export function step(run: (request: FastifyRequest, reply: FastifyReply) => Awaitable<void>) {
  return (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
    let waits: Awaitable<void>
    try {
      waits = run(request, reply)
    } catch (error) {
      done(error as Error)
      return
    }
    if (waits instanceof Promise) waits.then(() => done(), done)
    else done()
  }
}
