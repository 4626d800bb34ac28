import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { type Static, Type } from 'typebox'
import { newId, newRequestId } from '../../platform/ids.ts'
import { fits } from '../../platform/validator.ts'
import { CliError } from '../print.ts'

const Counts = Type.Object({
  /** The number of processed records. */
  rows: Type.Integer(),
  created: Type.Integer(),
  existed: Type.Integer(),
  duplicates: Type.Integer(),
  leftOut: Type.Integer(),
  failed: Type.Integer(),
  /** Users created without the password that they had. */
  withoutPassword: Type.Integer(),
  /** The number of failed rows by reason. */
  reasons: Type.Record(Type.String(), Type.Integer()),
})
export type Counts = Static<typeof Counts>

/** The results for the rows of one organization. */
const OrganizationCounts = Type.Object({
  slug: Type.String(),
  /** Whether this import created the organization. */
  isNew: Type.Boolean(),
  created: Type.Integer(),
  existed: Type.Integer(),
  duplicates: Type.Integer(),
  failed: Type.Integer(),
})
export type OrganizationCounts = Static<typeof OrganizationCounts>

// Limited, because the checkpoint is written after every batch.
const MAX_LISTED = 1000

const Checkpoint = Type.Object({
  version: Type.Literal(1),
  /** Identifies the file. Together with the format and the directory, it identifies the import. */
  fingerprint: Type.String(),
  format: Type.String(),
  directoryId: Type.String(),
  /** The `request_id` of all events of the import. */
  importId: Type.String(),
  /** An id made before the next batch starts. Later events belong to a batch that this checkpoint does not include. */
  mark: Type.String(),
  counts: Counts,
  /** By id, if each row names its organization. Only the first thousand organizations in the file. */
  organizations: Type.Optional(Type.Record(Type.String(), OrganizationCounts)),
  /** The length of the report, so that lines written after the checkpoint are not repeated. */
  reportBytes: Type.Integer(),
  updatedAt: Type.String(),
})
export type Checkpoint = Static<typeof Checkpoint>

export function firstCheckpoint(
  of: Pick<Checkpoint, 'fingerprint' | 'format' | 'directoryId'>,
  namesOrganizations = false,
): Checkpoint {
  const none = { created: 0, existed: 0, duplicates: 0, leftOut: 0, failed: 0, withoutPassword: 0 }
  return {
    ...{ version: 1, ...of, importId: newRequestId(), mark: newId() },
    ...(namesOrganizations ? { organizations: {} } : {}),
    ...{ counts: { rows: 0, ...none, reasons: {} }, reportBytes: 0, updatedAt: new Date().toISOString() },
  }
}

/** Counts a row for its organization, unless too many are already listed. */
export function countInOrganization(
  { organizations }: Checkpoint,
  { key, slug, isNew }: { key: string; slug: string; isNew: boolean },
  result: keyof OrganizationCounts & keyof Counts,
): void {
  if (!organizations) return
  if (!(key in organizations) && Object.keys(organizations).length >= MAX_LISTED) return
  organizations[key] ??= { slug, isNew, created: 0, existed: 0, duplicates: 0, failed: 0 }
  organizations[key][result]++
}

/** @returns null if there is no checkpoint. Throws CliError for the checkpoint of another import. */
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
    new CliError(`${path} ${what}: import from the beginning with --restart, or name another file with --checkpoint.`)
  if (!found) throw refuse('is not a checkpoint of this release')
  if (found.fingerprint !== of.fingerprint) throw refuse('belongs to another file, or the file has changed since')
  if (found.directoryId !== of.directoryId)
    throw refuse('belongs to an import into another organization or environment')
  if (found.format !== of.format) throw refuse(`belongs to an import with --format ${found.format}`)
  return found
}

function parse(text: string): Checkpoint | null {
  try {
    const value: unknown = JSON.parse(text)
    return fits(Checkpoint, value) ? value : null
  } catch {
    return null
  }
}

/** Replaces the checkpoint atomically. Whenever the process ends, either the old or the new one exists. */
export async function writeCheckpoint(path: string, checkpoint: Checkpoint): Promise<void> {
  const fresh = `${path}.new`
  try {
    await writeFile(fresh, `${JSON.stringify(checkpoint, null, 2)}\n`, { mode: 0o600, flush: true })
    await rename(fresh, path)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error
    throw new CliError(`${path} cannot be written (${code}): name another file with --checkpoint.`, { cause: error })
  }
}

export async function removeCheckpoint(path: string): Promise<void> {
  await rm(path, { force: true })
}
