import { findDirectory } from '../../platform/http/directory.ts'
import type { PageBody } from '../../platform/http/page-layout.ts'
import type { Fields, PageRedirect } from '../../platform/http/pages.ts'
import type { ServiceId } from '../../platform/http/route.ts'
import { parseEmail } from '../../platform/mail/address.ts'
import { type Brand, brandOf } from '../../platform/mail/brand.ts'
import type { Work } from '../../platform/work.ts'
import { directoryOfToken, type LinkPurpose, type LinkRow, purposeOfType } from '../links/links.ts'
import { defaultRedirect, type Identity, identify, type SignInFacts } from '../login/login.ts'

/** A link as a browser brings it. What it says has not been looked up. */
export interface BroughtLink {
  work: Work
  brand: Brand
  purpose: LinkPurpose
  /** As in the link. */
  type: string
  token: string
  who: Identity
  /** The application's address that people are sent on to; null: it has named none. */
  home: string | null
}

/** One that is live. */
export interface LiveLink extends BroughtLink {
  link: LinkRow
  /** Of whoever has the address. */
  facts: SignInFacts | null
}

/** What a page says. */
export interface View {
  title: string
  body: PageBody
  status?: number
  /** Where its form may end. */
  leadsTo?: string | null
}

/** What the page does with links of one purpose. */
export interface LinkPage {
  /** Refused where this service is off. */
  service: ServiceId
  /** What there is to know about a link that was used. */
  used: string
  /** Where to get another link. */
  another: string
  /** Only looks: scanners of mails ask, too. */
  show(live: LiveLink, alert?: string): Promise<View>
  /** What the button does. */
  act(live: LiveLink, form: Fields): Promise<View | PageRedirect>
}

/** Null: this is no link of ours. */
export async function readLink(
  { platform, origin }: Pick<Work, 'platform' | 'origin'>,
  fields: Fields,
): Promise<BroughtLink | null> {
  const { token_hash: token = '', email = '', type = '' } = fields
  const [directoryId, purpose, address] = [directoryOfToken(token), purposeOfType(type), parseEmail(email)]
  if (directoryId === null || purpose === undefined || address === null) return null
  const directory = await findDirectory(platform, directoryId)
  if (!directory) return null
  const work = { platform, directory, origin, db: platform.db }
  return {
    work,
    brand: await brandOf(work),
    purpose,
    type,
    token,
    who: identify(platform, address),
    home: await defaultRedirect(work),
  }
}

/** What the form of a page carries on. */
export function hiddenFields({ token, type }: BroughtLink) {
  return [
    { kind: 'hidden' as const, name: 'token_hash', value: token },
    { kind: 'hidden' as const, name: 'type', value: type },
  ]
}

/** Whose link it is; sent along, and a hint to password managers. */
export function addressField({ who }: BroughtLink, label = 'E-mail address') {
  return {
    kind: 'text' as const,
    name: 'email',
    label,
    value: who.address.email,
    autocomplete: 'username',
    readOnly: true,
  }
}

/** Leads to the application, where it has named itself. */
export function linkHome({ home }: BroughtLink): Pick<PageBody, 'link'> {
  if (home === null) return {}
  const { origin, host } = new URL(home)
  return { link: { label: `Continue to ${host}`, url: origin } }
}
