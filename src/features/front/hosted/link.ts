import type { ServiceId } from '../../../contract/contract.ts'
import { type Identity, identify } from '../../../platform/crypto/identity.ts'
import type { Redirect } from '../../../platform/http/answer.ts'
import type { Fields } from '../../../platform/http/media.ts'
import type { RequestContext } from '../../../platform/http/route.ts'
import { parseEmail } from '../../../platform/mail/address.ts'
import { type Brand, brandOf } from '../../../platform/mail/brand.ts'
import { acceptedLocales, chooseLanguage, type Language } from '../../../platform/messages/language.ts'
import { texts } from '../../../platform/messages/texts.gen.ts'
import type { Say } from '../../../platform/messages/texts.ts'
import type { PageBody } from '../../../platform/pages/page-layout.ts'
import type { Work } from '../../../platform/work.ts'
import type { SignInFacts } from '../../access/login/login.ts'
import {
  defaultRedirect,
  type LinkRow,
  type MailedPurpose,
  placeOfToken,
  purposeOfType,
} from '../../sign-in/links/links.ts'

/** A link as a browser sends it, parsed but not looked up. */
export interface ParsedLink {
  work: Work
  brand: Brand
  /** Of the organization, or else of the browser; of a live link the person's own, if they have one. */
  language: Language
  /** By what it was chosen. */
  locales: (string | null)[]
  /** What its `type` stands for. */
  purpose: MailedPurpose
  token: string
  /** False for a made-up token, which is refused before anything is looked up. */
  isOurs: boolean
  who: Identity
  /** The application's address that users are sent on to; null if it has configured none. */
  home: string | null
}

/** A link that was looked up and is live. */
export interface LiveLink extends ParsedLink {
  link: LinkRow
  /** The facts about the user of the address. */
  facts: SignInFacts | null
}

/** The content of a page. */
export interface View {
  title: string
  body: PageBody
  status?: number
  /** Where its form may redirect to. */
  leadsTo?: string | null
}

/** The page of links of one purpose. */
export interface LinkPage {
  /** The page is refused where this service is off. */
  service: ServiceId
  /** Whether it is also for those who may not sign in now, as while their address is locked. */
  worksWhileLocked?: true
  /** Shown for a link that was already used. */
  used: Say
  /** Says where to get another link. */
  another: Say
  /** Must change nothing: mail scanners request it too. */
  show(live: LiveLink, alert?: string): Promise<View>
  /** What the button does. */
  act(live: LiveLink, form: Fields): Promise<View | Redirect>
}

/** @returns null when it is not a link of ours. */
export async function readLink(
  { platform, origin, acceptLanguage }: Pick<RequestContext, 'platform' | 'origin' | 'acceptLanguage'>,
  fields: Fields,
): Promise<ParsedLink | null> {
  const { token_hash: token = '', email = '', type = '' } = fields
  const [purpose, address] = [purposeOfType(type), parseEmail(email)]
  if (purpose === undefined || address === null) return null
  const place = await placeOfToken(platform, token)
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
    token,
    isOurs,
    who: identify(platform, address),
    home: await defaultRedirect(work),
  }
}

/** What the form of a page passes on. */
export function hiddenFields({ token, purpose }: ParsedLink) {
  return [
    { kind: 'hidden' as const, name: 'token_hash', value: token },
    { kind: 'hidden' as const, name: 'type', value: purpose.type },
  ]
}

/** The address of the link, sent along with the form and a hint to password managers. */
export function addressField({ who, language }: ParsedLink) {
  return {
    kind: 'text' as const,
    name: 'email',
    label: texts.hosted.address(language),
    value: who.address.email,
    autocomplete: 'username',
    readOnly: true,
  }
}

/** A link to the application, if its address is configured. */
export function linkHome({ home, language }: ParsedLink): Pick<PageBody, 'link'> {
  if (home === null) return {}
  const { origin, host } = new URL(home)
  return { link: { label: texts.hosted.continueTo(language, { host }), url: origin } }
}
