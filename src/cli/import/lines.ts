import { CliError } from '../print.ts'
import { MAX_RECORD_BYTES, parseJson, type RawRecord } from './records.ts'

const NEWLINE = 0x0a

/** Reads one JSON value per line and skips blank lines. Throws CliError for a line larger than one mebibyte. */
export async function* jsonLines(bytes: AsyncIterable<Buffer>): AsyncGenerator<RawRecord> {
  let rest: Buffer = Buffer.alloc(0)
  let line = 1
  for await (const chunk of bytes) {
    const text = rest.length ? Buffer.concat([rest, chunk]) : chunk
    let start = 0
    for (let end = text.indexOf(NEWLINE); end >= 0; end = text.indexOf(NEWLINE, start)) {
      yield* readLine(text.subarray(start, end), line++)
      start = end + 1
    }
    rest = text.subarray(start)
    if (rest.length > MAX_RECORD_BYTES) throw new CliError(`Line ${line} is larger than a mebibyte.`)
  }
  yield* readLine(rest, line)
}

function* readLine(bytes: Buffer, line: number): Generator<RawRecord> {
  const text = bytes.toString('utf8').trim()
  if (text) yield { line, value: parseJson(text) }
}
