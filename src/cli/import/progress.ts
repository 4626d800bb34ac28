import { counted, note } from '../print.ts'
import type { Counts } from './checkpoint.ts'

const BAR_WIDTH = 24
const BAR_EVERY_MS = 200
const LINE_EVERY_MS = 5000

export interface Progress {
  /** Reports how much of the file has been read. */
  read(bytes: number): void
  /** Called after every batch. */
  show(counts: Counts, organizations?: number): void
  /** Ends the line with the progress bar. */
  end(): void
}

/** Shows an import's progress on stderr: a bar on a terminal, and otherwise a line every few seconds. */
export function openProgress(totalBytes: number, doneBefore: number): Progress {
  const isTerminal = process.stderr.isTTY === true
  const startedAt = Date.now()
  let bytes = 0
  let shownAt = isTerminal ? 0 : startedAt
  return {
    read(now) {
      bytes = now
    },
    show(counts, organizations) {
      const now = Date.now()
      if (now - shownAt < (isTerminal ? BAR_EVERY_MS : LINE_EVERY_MS)) return
      shownAt = now
      const share = totalBytes ? Math.min(1, bytes / totalBytes) : 1
      const perSecond = Math.round((counts.rows - doneBefore) / Math.max(0.001, (now - startedAt) / 1000))
      const line = `${percent(share)} ${summary(counts, organizations)}, ${perSecond}/s`
      if (isTerminal) process.stderr.write(`\r\u001b[K${bar(share)} ${line}`)
      else note(line)
    },
    end() {
      if (isTerminal && shownAt) process.stderr.write('\n')
    },
  }
}

function bar(share: number): string {
  const done = Math.round(share * BAR_WIDTH)
  return `[${'█'.repeat(done)}${'·'.repeat(BAR_WIDTH - done)}]`
}

function percent(share: number): string {
  return `${Math.floor(share * 100)} %`.padStart(5)
}

function summary({ rows, created, failed }: Counts, organizations: number | undefined): string {
  const where = organizations === undefined ? '' : ` in ${counted(organizations, 'organization')}`
  return `${rows} rows${where}, ${created} created, ${failed} failed`
}
