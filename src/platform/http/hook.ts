import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Awaitable } from '../awaitable.ts'

/**
 * A step of a request as a hook of the framework, which sees to what it throws and waits for what it returns. A step that
 * has nothing to wait for goes on at once.
 */
export function toHook(run: (request: FastifyRequest, reply: FastifyReply) => Awaitable<void>) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): Promise<void> | undefined => {
    const result = run(request, reply)
    if (result instanceof Promise) return result
    done()
    return undefined
  }
}
