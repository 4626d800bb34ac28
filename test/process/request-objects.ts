import { subscribe } from 'node:diagnostics_channel'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Loaded before the service: collects garbage before each connection is served, and tells on SIGUSR2 how many bytes a
 * request and its answer take.
 */
const PAIRS = 200

setFlagsFromString('--expose-gc')
const collect: NodeJS.GCFunction = runInNewContext('gc')
subscribe('net.server.socket', () => collect())
process.on('SIGUSR2', () => {
  const socket = new Socket()
  collect()
  const before = process.memoryUsage().heapUsed
  for (let n = 0; n < PAIRS; n++) new ServerResponse(new IncomingMessage(socket))
  process.stderr.write(`${Math.round((process.memoryUsage().heapUsed - before) / PAIRS)} bytes\n`)
})
