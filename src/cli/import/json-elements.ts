import { CliError } from '../print.ts'
import { MAX_RECORD_BYTES, parseJson, type RawRecord } from './records.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const NEWLINE = 0x0a
const LONGEST_NAME = 32

/** The state of the parser. */
interface Scan {
  line: number
  depth: number
  inString: boolean
  escaped: boolean
  /** The latest string directly in the document's object, and the latest of these that was a key. */
  text: string
  key: string
  /** The depth inside the list that is read, or 0 outside of it. */
  listDepth: number
  found: boolean
  /** The current element: the line where it started (0 if none is open), and its parts from earlier chunks. */
  startLine: number
  parts: Buffer[]
  size: number
}

/**
 * Streams the elements of one list in a JSON document of any size. The list is the document itself, or is in the
 * document's object under one of the `names`. Works on bytes, because non-ASCII UTF-8 never contains JSON syntax.
 * Throws CliError if there is no such list or the document is truncated.
 */
export async function* jsonElements(bytes: AsyncIterable<Buffer>, names: string[]): AsyncGenerator<RawRecord> {
  const scan: Scan = {
    ...{ line: 1, depth: 0, inString: false, escaped: false, text: '', key: '', listDepth: 0, found: false },
    ...{ startLine: 0, parts: [], size: 0 },
  }
  for await (const chunk of bytes) yield* scanChunk(scan, chunk, names)
  if (scan.depth !== 0 || scan.inString)
    throw new CliError(`The file ends in the middle, in line ${scan.line}: it is truncated.`)
  if (!scan.found) throw new CliError(`The file has no list of users: it must be one, or have one named ${names[0]}.`)
}

function* scanChunk(scan: Scan, chunk: Buffer, names: string[]): Generator<RawRecord> {
  let start = scan.startLine ? 0 : -1
  for (let at = 0; at < chunk.length; at++) {
    const byte = chunk[at] ?? 0
    if (byte === NEWLINE) scan.line++
    if (scan.listDepth > 0 && scan.depth === scan.listDepth && !scan.inString) {
      if (byte === COMMA || byte === CLOSE_LIST) {
        if (start >= 0) yield takeElement(scan, chunk.subarray(start, at))
        start = -1
      } else if (start < 0 && byte > 0x20) {
        start = at
        scan.startLine = scan.line
      }
    }
    if (scan.inString) stepInString(scan, byte)
    else step(scan, byte, names)
  }
  if (start >= 0) keepPart(scan, chunk.subarray(start))
}

function takeElement(scan: Scan, last: Buffer): RawRecord {
  const text = Buffer.concat([...scan.parts, last]).toString('utf8')
  const line = scan.startLine
  scan.parts = []
  scan.size = 0
  scan.startLine = 0
  return { line, value: parseJson(text) }
}

function keepPart(scan: Scan, part: Buffer): void {
  scan.parts.push(part)
  scan.size += part.length
  if (scan.size > MAX_RECORD_BYTES)
    throw new CliError(`The record that starts in line ${scan.startLine} is larger than a mebibyte.`)
}

function step(scan: Scan, byte: number, names: string[]): void {
  switch (byte) {
    case QUOTE:
      scan.inString = true
      scan.text = ''
      break
    case COLON:
      if (scan.depth === 1) scan.key = scan.text
      break
    case OPEN_OBJECT:
      scan.depth++
      break
    case OPEN_LIST:
      if (scan.listDepth === 0 && (scan.depth === 0 || (scan.depth === 1 && names.includes(scan.key)))) {
        scan.found = true
        scan.listDepth = scan.depth + 1
      }
      scan.depth++
      break
    case CLOSE_OBJECT:
    case CLOSE_LIST:
      if (scan.listDepth === scan.depth) scan.listDepth = 0
      scan.depth--
  }
}

function stepInString(scan: Scan, byte: number): void {
  if (scan.escaped) scan.escaped = false
  else if (byte === BACKSLASH) scan.escaped = true
  else if (byte === QUOTE) scan.inString = false
  else if (scan.depth === 1 && scan.text.length < LONGEST_NAME) scan.text += String.fromCharCode(byte)
}
