import { chooseLanguage, type Language, type Reader } from '../messages/language.ts'
import type { Work } from '../work.ts'
import { brandOf } from './brand.ts'
import type { MailKind } from './kinds.ts'
import { fillIn, type MailContent, oneLine, renderMail } from './layout.ts'
import { mailSettings, ownSubject } from './settings.ts'

/** A feature's message to one person, who decides on the language. */
export interface Message {
  kind: MailKind
  /** Whose address goes into the envelope as it is. */
  to: Reader
  write(language: Language): WrittenMail
}

/** The words of a mail, in plain text. `{brand}` anywhere in it is replaced by the brand's name. */
export interface WrittenMail {
  /** Used unless the directory has its own. Never contains a code: lock screens show it. */
  subject: string
  content: MailContent
}

/** Those whose subject is the heading. */
export function titled(title: string, content: Omit<MailContent, 'heading'>): WrittenMail {
  return { subject: title, content: { heading: title, ...content } }
}

/** A mail as it is sent. */
export interface Mail {
  /** What it is, such as `login_otp`. */
  kind: string
  to: string
  subject: string
  text: string
  html: string
  /** The sender the directory asks for; null for the deployment's. */
  from: { name: string | null; address: string | null }
  replyTo: string | null
}

/** Renders a message in the language of its reader, or else of its directory, with the brand, subject and sender of that. */
export async function composeMail(work: Pick<Work, 'platform' | 'directory'>, message: Message): Promise<Mail> {
  const { kind, to } = message
  const language = chooseLanguage(to.locale, work.directory.locale)
  const { subject, content } = message.write(language)
  const settings = await mailSettings().effective(work)
  const brand = await brandOf(work)
  return {
    kind,
    to: to.email,
    subject: oneLine(fillIn(ownSubject(settings, kind) ?? subject, brand)),
    ...renderMail(content, brand, language),
    from: { name: settings.from_name ?? settings.brand_name, address: settings.from_address },
    replyTo: settings.reply_to,
  }
}
