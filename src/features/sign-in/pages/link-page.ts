import type { ServiceId } from '../../../contract/contract.ts'
import type { Identity } from '../../../platform/crypto/identity.ts'
import type { EventDefinition } from '../../../platform/events/events.ts'
import type { Redirect } from '../../../platform/http/answer.ts'
import type { Fields } from '../../../platform/http/media.ts'
import type { Brand } from '../../../platform/mail/brand.ts'
import type { Language } from '../../../platform/messages/language.ts'
import { texts } from '../../../platform/messages/texts.gen.ts'
import type { Say } from '../../../platform/messages/texts.ts'
import type { PageBody } from '../../../platform/pages/page-layout.ts'
import type { Work } from '../../../platform/work.ts'
import type { SignInFacts } from '../../access/login/login.ts'

/** A mailed link as a browser sends it. */
export interface ShownLink {
  work: Work
  brand: Brand
  /** Of the organization, or else of the browser; of a live link the user's own, if they have one. */
  language: Language
  /** Names the purpose of the link in its URL. */
  type: string
  token: string
  who: Identity
  /** The application's address that users are sent on to; null if it has configured none. */
  home: string | null
  /** The URL of the same link at an address of the application. */
  urlAt(redirectTo: string): string
}

/** A link that was looked up and is live. */
export interface LiveLink extends ShownLink {
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

/** The page of links of one purpose, which the noun of the purpose defines. */
export interface LinkPage {
  /** The `type` in the URL of its links. */
  type: string
  /** The page is refused where this service is off. */
  service: ServiceId
  /** Whether it is also for those who may not sign in now, as while their address is locked. */
  worksWhileLocked?: true
  /** Shown for a link that was already used. */
  used: Say<never>
  /** Says where to get another link. */
  another: Say<never>
  /** What `act` may record. */
  events?: readonly EventDefinition[]
  /** Must change nothing: mail scanners request it too. */
  show(live: LiveLink, alert?: string): Promise<View>
  /** What the button does. */
  act(live: LiveLink, form: Fields): Promise<View | Redirect>
}

/** What the form of a page passes on: the link, and its address, which is also a hint to password managers. */
export function linkFields({ token, type, who, language }: ShownLink) {
  return [
    { kind: 'hidden' as const, name: 'token_hash', value: token },
    { kind: 'hidden' as const, name: 'type', value: type },
    {
      kind: 'text' as const,
      name: 'email',
      label: texts.pages.link.address(language),
      value: who.address.email,
      autocomplete: 'username',
      readOnly: true,
    },
  ]
}

/** A link to the application, if its address is configured. */
export function linkHome({ home, language }: ShownLink): Pick<PageBody, 'link'> {
  if (home === null) return {}
  const { origin, host } = new URL(home)
  return { link: { label: texts.pages.link.continueTo(language, { host }), url: origin } }
}

interface ButtonPage extends Omit<LinkPage, 'show' | 'act'> {
  /** The page with the button, and the one after it. */
  texts: Record<'title' | 'paragraph' | 'button' | 'done' | 'doneText', Say<never>>
  act(live: LiveLink): Promise<void>
}

/** A page with one button, and nothing to enter. */
export function buttonPage({ texts: says, act, ...page }: ButtonPage): LinkPage {
  return {
    ...page,
    show: async (live) => ({
      title: says.title(live.language),
      body: {
        paragraphs: [says.paragraph(live.language)],
        form: { fields: linkFields(live), button: says.button(live.language) },
      },
    }),
    async act(live) {
      await act(live)
      const { language } = live
      return { title: says.done(language), body: { paragraphs: [says.doneText(language)], ...linkHome(live) } }
    },
  }
}
