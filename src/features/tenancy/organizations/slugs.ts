import { ApiError } from '../../../platform/errors.ts'
import { newId } from '../../../platform/ids.ts'
import { brandOf } from '../../../platform/mail/brand.ts'
import { MAX_SLUG, slugErrors, slugOf } from '../../../platform/slug.ts'
import type { Work } from '../../../platform/work.ts'

/**
 * Names that products reserve for host names and paths, and the mailboxes of RFC 2142. Users who create an
 * organization themselves cannot get them.
 */
export const RESERVED: ReadonlySet<string> = new Set(
  `about abuse account accounts admin administrator api app apps assets auth billing blog cdn console contact dashboard
  default demo dev developers docs download email ftp help home hostmaster id imap info internal localhost login logout
  mail marketing media news noc null oauth org organization pop portal postmaster press production public register root
  sales scim security settings shop signin signup smtp sso staging static status store support system team test undefined
  users webmaster well-known www`.split(/\s+/),
)

/**
 * Creates an object with a slug. If the slug is taken or reserved, adds a suffix instead of failing. All environments
 * share the slugs. Outside production a slug always gets a suffix, so that it neither takes a slug from production
 * nor reveals which slugs production has.
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

/** Whether a slug may be used without a suffix if it is free. */
async function mayBeChosen(work: Work, slug: string): Promise<boolean> {
  if (work.directory.environmentSlug !== 'production' || RESERVED.has(slug)) return false
  return slug !== slugOf((await brandOf(work)).name, '')
}

const isTaken = (error: unknown) => error instanceof ApiError && error.definition.code === slugErrors.taken.code

// There are 2^24 suffixes, so a collision is practically impossible.
function withSuffix<T>(slug: string, make: (slug: string) => Promise<T>): Promise<T> {
  return make(`${slug.slice(0, MAX_SLUG - 7).replace(/-$/, '')}-${newId().slice(-6)}`)
}
