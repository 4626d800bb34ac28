import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { newId, newRequestId } from '../../platform/ids.ts'
import { CliError } from '../print.ts'

const Counts = Type.Object({
  /** Records of the file that are done with. */
  rows: Type.Integer(),
  created: Type.Integer(),
  existed: Type.Integer(),
  duplicates: Type.Integer(),
  leftOut: Type.Integer(),
  failed: Type.Integer(),
  /** Of those who came over: without the password they had. */
  withoutPassword: Type.Integer(),
  /** Failed, by their reason. */
  reasons: Type.Record(Type.String(), Type.Integer()),
})
export type Counts = Static<typeof Counts>

const Checkpoint = Type.Object({
  version: Type.Literal(1),
  /** Which file, read in which way, into which directory. */
  fingerprint: Type.String(),
  format: Type.String(),
  directoryId: Type.String(),
  /** The `request_id` of all events of the import. */
  importId: Type.String(),
  /** An id made before the next batch is begun: what was recorded later is of a batch that this does not know of. */
  mark: Type.String(),
  counts: Counts,
  /** How long the report was, so that what was written after it is written once. */
  reportBytes: Type.Integer(),
  updatedAt: Type.String(),
})
export type Checkpoint = Static<typeof Checkpoint>

export function firstCheckpoint(of: Pick<Checkpoint, 'fingerprint' | 'format' | 'directoryId'>): Checkpoint {
  const none = { created: 0, existed: 0, duplicates: 0, leftOut: 0, failed: 0, withoutPassword: 0 }
  return {
    ...{ version: 1, ...of, importId: newRequestId(), mark: newId() },
    ...{ counts: { rows: 0, ...none, reasons: {} }, reportBytes: 0, updatedAt: new Date().toISOString() },
  }
}

/** Null: there is none. Throws CliError when it tells of something else than this import. */
export async function readCheckpoint(
  path: string,
  of: Pick<Checkpoint, 'fingerprint' | 'format' | 'directoryId'>,
): Promise<Checkpoint | null> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw new CliError(`${path} cannot be read: ${error.code}.`)
  })
  if (text === null) return null
  const found = parse(text)
  const refuse = (what: string) =>
    new CliError(`${path} ${what}: import from the beginning by --restart, or name another file by --checkpoint.`)
  if (!found) throw refuse('is no checkpoint of this release')
  if (found.fingerprint !== of.fingerprint) throw refuse('is of another file, or the file has changed since')
  if (found.directoryId !== of.directoryId) throw refuse('is of an import into another organization or environment')
  if (found.format !== of.format) throw refuse(`is of an import by --format ${found.format}`)
  return found
}

function parse(text: string): Checkpoint | null {
  try {
    const value: unknown = JSON.parse(text)
    return Value.Check(Checkpoint, value) ? value : null
  } catch {
    return null
  }
}

/** Replaces it as a whole: whenever the process ends, the old one or the new one is there. */
export async function writeCheckpoint(path: string, checkpoint: Checkpoint): Promise<void> {
  const fresh = `${path}.new`
  try {
    await writeFile(fresh, `${JSON.stringify(checkpoint, null, 2)}\n`, { mode: 0o600, flush: true })
    await rename(fresh, path)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error
    throw new CliError(`${path} cannot be written (${code}): name another place by --checkpoint.`, { cause: error })
  }
}

export async function removeCheckpoint(path: string): Promise<void> {
  await rm(path, { force: true })
}
