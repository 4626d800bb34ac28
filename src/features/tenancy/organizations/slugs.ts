import { ApiError } from '../../../platform/errors.ts'
import { newId } from '../../../platform/ids.ts'
import { brandOf } from '../../../platform/mail/brand.ts'
import { MAX_SLUG, slugErrors, slugOf } from '../../../platform/slug.ts'
import type { Work } from '../../../platform/work.ts'

/**
 * Names that products reserve, as host names and in paths, and the mailboxes of RFC 2142. Users who create an
 * organization for themselves do not get them.
 */
export const RESERVED: ReadonlySet<string> = new Set(
  `about abuse account accounts admin administrator api app apps assets auth billing blog cdn console contact dashboard
  default demo dev developers docs download email ftp help home hostmaster id imap info internal localhost login logout
  mail marketing media news noc null oauth org organization pop portal postmaster press production public register root
  sales scim security settings shop signin signup smtp sso staging static status store support system team test undefined
  users webmaster well-known www`.split(/\s+/),
)

/**
 * Creates an object with a slug, and adds a suffix if the slug is taken or reserved, instead of refusing it. All
 * environments share the slugs. Outside production a slug always has a suffix, so that it takes none from production
 * and reveals nothing about it.
 */
export async function withFreeSlug<T>(work: Work, slug: string, make: (slug: string) => Promise<T>): Promise<T> {
  if (!(await mayBeChosen(work, slug))) return withSuffix(slug, make)
  try {
    return await make(slug)
  } catch (error) {
    if (!isTaken(error)) throw error
    return withSuffix(slug, make)
  }
}

/** Whether a slug may be used without a suffix, if it is not taken. */
async function mayBeChosen(work: Work, slug: string): Promise<boolean> {
  if (work.directory.environmentSlug !== 'production' || RESERVED.has(slug)) return false
  return slug !== slugOf((await brandOf(work)).name, '')
}

const isTaken = (error: unknown) => error instanceof ApiError && error.definition.code === slugErrors.taken.code

// 2^24 of them: as good as never taken.
function withSuffix<T>(slug: string, make: (slug: string) => Promise<T>): Promise<T> {
  return make(`${slug.slice(0, MAX_SLUG - 7).replace(/-$/, '')}-${newId().slice(-6)}`)
}
