import { identify } from '../../../platform/crypto/identity.ts'
import type { Fields } from '../../../platform/http/media.ts'
import type { RequestContext } from '../../../platform/http/route.ts'
import { parseEmail } from '../../../platform/mail/address.ts'
import { brandOf } from '../../../platform/mail/brand.ts'
import { acceptedLocales, chooseLanguage } from '../../../platform/messages/language.ts'
import { defaultRedirect } from '../../access/redirects/redirects.ts'
import { findTokenDirectory, linkUrl } from '../../sign-in/links/links.ts'
import { type MailedPurpose, purposeOfType } from '../../sign-in/links/purposes/purposes.ts'
import type { ShownLink } from '../../sign-in/pages/pages.ts'

/** A link from a browser, parsed but not looked up. */
export interface ParsedLink extends ShownLink {
  /** The locales that determined the language. */
  locales: (string | null)[]
  /** The purpose that `type` stands for. */
  purpose: MailedPurpose
  /** False for a made-up token, which is refused without a look-up. */
  isOurs: boolean
}

/** @returns null if the parameters are not a link of this service. */
export async function readLink(
  { platform, origin, acceptLanguage }: Pick<RequestContext, 'platform' | 'origin' | 'acceptLanguage'>,
  fields: Fields,
): Promise<ParsedLink | null> {
  const { token_hash: token = '', email = '', type = '' } = fields
  const [purpose, address] = [purposeOfType(type), parseEmail(email)]
  if (purpose === undefined || address === null) return null
  const place = await findTokenDirectory(platform, token)
  if (!place) return null
  const { directory, isOurs } = place
  const work = { platform, directory, origin, db: platform.db }
  const locales = [directory.locale, ...acceptedLocales(acceptLanguage)]
  return {
    work,
    brand: await brandOf(work),
    locales,
    language: chooseLanguage(...locales),
    purpose,
    type: purpose.type,
    token,
    isOurs,
    who: identify(platform, address),
    urlAt: (redirectTo) => linkUrl(work, { purpose, token, email: address.email, redirectTo }),
    home: await defaultRedirect(work),
  }
}
