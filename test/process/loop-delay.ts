import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

/**
 * Loaded before the service: tells on SIGUSR2 the longest time since the last signal in which its event loop did not turn, in
 * milliseconds, and the longest time of a processor that one turn took, which a busy machine does not lengthen.
 */
if (isMainThread) {
  const delays = monitorEventLoopDelay({ resolution: 1 })
  delays.enable()
  let [usedMicros, longestMicros] = [used(), 0]
  const look = () => {
    const now = used()
    longestMicros = Math.max(longestMicros, now - usedMicros)
    usedMicros = now
  }
  setInterval(look, 1).unref()
  process.on('SIGUSR2', () => {
    look()
    process.stderr.write(`delay ${(delays.max / 1e6).toFixed(1)} ${(longestMicros / 1000).toFixed(1)}\n`)
    delays.reset()
    longestMicros = 0
  })
}

function used(): number {
  const { user, system } = process.threadCpuUsage()
  return user + system
}
