import { coalesce } from '../../platform/db/coalesce.ts'
import type { Directory } from '../../platform/http/directory.ts'
import { perPlatform } from '../../platform/platform.ts'
import type { Work } from '../../platform/work.ts'
import { loginErrors } from '../login/login.ts'
import { asScimError, scimErrors } from './errors.ts'
import { type AdmissionRow, findAdmissionRows } from './store.ts'

/** What the organization has set of its provisioning. */
export type Provisioning = Pick<AdmissionRow, 'sso_connection_id' | 'on_deprovision'>

/** Requests that arrive together share a statement: each asks it first. */
const admissions = perPlatform(({ db, database }) =>
  coalesce<Directory, AdmissionRow | null>({
    async run(directories, directoryId) {
      const ids = directories.map(({ id }) => id)
      const rows = new Map((await findAdmissionRows(db, ids, directoryId)).map((row) => [row.place, row]))
      return directories.map((_, index) => rows.get(index + 1) ?? null)
    },
    place: { database, directoryOf: ({ id }) => id },
  }),
)

/**
 * Whether a provisioning client is served now: the first thing that every route of the protocol asks. Throws
 * `organization_suspended`, `scim_disabled`.
 */
export async function admit({ platform, directory }: Pick<Work, 'platform' | 'directory'>): Promise<Provisioning> {
  const found = await admissions(platform)(directory)
  if (found?.organization_status !== 'active')
    throw loginErrors.organizationSuspended({
      extra: { organization_status: found?.organization_status ?? 'archived' },
    })
  if (!found.enabled) throw scimErrors.disabled()
  return found
}

/** Serves a provisioning client, if it is served now; what the language finds wrong is refused as SCIM has it. */
export async function serve<W extends Pick<Work, 'platform' | 'directory'>, T>(
  work: W,
  run: (provisioning: Provisioning) => Promise<T>,
): Promise<T> {
  const provisioning = await admit(work)
  try {
    return await run(provisioning)
  } catch (error) {
    throw asScimError(error)
  }
}

/** What every route of the protocol may refuse by that. */
export const admissionErrors = [loginErrors.organizationSuspended, scimErrors.disabled]
