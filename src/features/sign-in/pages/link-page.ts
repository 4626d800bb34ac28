import type { ServiceId } from '../../../contract/contract.ts'
import type { Identity } from '../../../platform/crypto/identity.ts'
import type { EventDefinition } from '../../../platform/events/events.ts'
import type { Redirect } from '../../../platform/http/answer.ts'
import type { Fields } from '../../../platform/http/media.ts'
import type { Brand } from '../../../platform/mail/brand.ts'
import type { Language } from '../../../platform/messages/language.ts'
import { texts } from '../../../platform/messages/texts.gen.ts'
import type { Say } from '../../../platform/messages/texts.ts'
import type { Field } from '../../../platform/pages/fields.ts'
import { form } from '../../../platform/pages/form.ts'
import { type Html, html } from '../../../platform/pages/html.ts'
import { linkButton, paragraph } from '../../../platform/pages/parts.ts'
import type { Work } from '../../../platform/work.ts'
import type { SignInFacts } from '../../access/login/login.ts'

/** A mailed link as the browser requests it. */
export interface ShownLink {
  work: Work
  brand: Brand
  /** The language of the user of a live link if they have set one, else the organization's, else the browser's. */
  language: Language
  /** The name of the link's purpose in its URL. */
  type: string
  token: string
  who: Identity
  /** The application's address to which users are sent on, or null if none is configured. */
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
  body: Html
  status?: number
  /** Where the page's form may redirect to. */
  leadsTo?: string | null
}

/** The page of links of one purpose. The feature folder that defines the purpose also defines the page. */
export interface LinkPage {
  /** The `type` in the URL of its links. */
  type: string
  /** The service that must be on for the page to be available. */
  service: ServiceId
  /** Set if the page also works for users who cannot sign in now, for example while their address is locked. */
  worksWhileLocked?: true
  /** The text for a link that was already used. */
  used: Say<never>
  /** The text that says where to get another link. */
  another: Say<never>
  /** Events that `act` may record. */
  events?: readonly EventDefinition[]
  /** Must change nothing, because mail scanners request pages too. */
  show(live: LiveLink, alert?: string): Promise<View>
  /** Runs when the button is pressed. */
  act(live: LiveLink, form: Fields): Promise<View | Redirect>
}

/** The fields that the form of a page sends: the link, and its address, which also helps password managers. */
export function linkFields({ token, type, who, language }: ShownLink): Field[] {
  return [
    { kind: 'hidden', name: 'token_hash', value: token },
    { kind: 'hidden', name: 'type', value: type },
    {
      kind: 'text',
      name: 'email',
      label: texts.pages.link.address(language),
      value: who.address.email,
      autocomplete: 'username',
      readOnly: true,
    },
  ]
}

/** A link to the application, if its address is configured. */
export function linkHome({ home, language }: ShownLink): Html | null {
  if (home === null) return null
  const { origin, host } = new URL(home)
  return linkButton({ label: texts.pages.link.continueTo(language, { host }), url: origin })
}

interface ButtonPage extends Omit<LinkPage, 'show' | 'act'> {
  /** The texts of the page with the button, and of the page after it. */
  texts: Record<'title' | 'paragraph' | 'button' | 'done' | 'doneText', Say<never>>
  act(live: LiveLink): Promise<void>
}

/** A page with one button and no input. */
export function buttonPage({ texts: says, act, ...page }: ButtonPage): LinkPage {
  return {
    ...page,
    show: async (live) => ({
      title: says.title(live.language),
      body: html`${paragraph(says.paragraph(live.language))}${form({
        fields: linkFields(live),
        button: says.button(live.language),
      })}`,
    }),
    async act(live) {
      await act(live)
      const { language } = live
      return { title: says.done(language), body: html`${paragraph(says.doneText(language))}${linkHome(live)}` }
    },
  }
}
