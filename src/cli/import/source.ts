import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { CliError } from '../print.ts'

const HEAD_BYTES = 64 * 1024
const BOM = Buffer.from([0xef, 0xbb, 0xbf])

/** A file to import. */
export interface Source {
  path: string
  size: number
  /** Distinguishes this file from others, and from an edited version of itself. */
  fingerprint: string
  /** The beginning of the file as text, without a byte order mark. */
  head: string
  hasBom: boolean
}

/** Kinds of files that are mistaken for a list of users, by their first bytes. */
const foreign: [beginning: number[], what: string][] = [
  [[0x50, 0x4b, 0x03, 0x04], 'an Excel workbook or a ZIP archive: save the sheet as CSV in UTF-8, or unpack it'],
  [[0xd0, 0xcf, 0x11, 0xe0], 'an old Excel workbook: save the sheet as CSV in UTF-8'],
  [[0x1f, 0x8b], 'compressed: unpack it with gunzip'],
  [[0xff, 0xfe], 'written in UTF-16: save it in UTF-8'],
  [[0xfe, 0xff], 'written in UTF-16: save it in UTF-8'],
]

/** Opens a file. Throws CliError if it cannot be read or is not text. */
export async function openSource(path: string): Promise<Source> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw new CliError(error.code === 'ENOENT' ? `There is no file ${path}.` : `${path} cannot be read: ${error.code}.`)
  })
  try {
    const stat = await file.stat()
    if (!stat.isFile()) throw new CliError(`${path} is not a file: name the file of users itself.`)
    const bytes = await readHead(file)
    const known = foreign.find(([beginning]) => beginning.every((byte, n) => bytes[n] === byte))
    if (known) throw new CliError(`${path} is ${known[1]}.`)
    const hasBom = bytes.subarray(0, 3).equals(BOM)
    const head = new TextDecoder().decode(bytes)
    if (head.trim() === '') throw new CliError(`${path} is empty.`)
    const hash = createHash('sha256').update(bytes).digest('hex')
    return { path, size: stat.size, fingerprint: `${stat.size}-${hash}`, head, hasBom }
  } finally {
    await file.close()
  }
}

async function readHead(file: FileHandle): Promise<Buffer> {
  const buffer = Buffer.alloc(HEAD_BYTES)
  const { bytesRead } = await file.read(buffer, 0, HEAD_BYTES, 0)
  return buffer.subarray(0, bytesRead)
}

/**
 * Streams the file without its byte order mark. `onRead` receives the number of bytes read. Throws CliError if the
 * file is not UTF-8, because names in another encoding would be garbled.
 */
export async function* readBytes(source: Source, onRead: (bytes: number) => void): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const stream = createReadStream(source.path, { start: source.hasBom ? BOM.length : 0, highWaterMark: 256 * 1024 })
  let read = 0
  for await (const chunk of stream) {
    if (!Buffer.isBuffer(chunk)) throw new Error('A file must be read as bytes')
    try {
      decoder.decode(chunk, { stream: true })
    } catch {
      throw new CliError(
        `${source.path} is not in UTF-8. Convert it, for example with: iconv -f WINDOWS-1252 -t UTF-8 ${source.path}`,
      )
    }
    read += chunk.length
    onRead(read)
    yield chunk
  }
}
