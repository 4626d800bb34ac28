import type { Work } from '../work.ts'
import { brandOf } from './brand.ts'
import type { MailKind } from './kinds.ts'
import { fillIn, type MailContent, oneLine, renderMail } from './layout.ts'
import { mailSettings, ownSubject } from './settings.ts'

/** A feature's message to one person, in plain text. `{brand}` anywhere in it is replaced by the brand's name. */
export interface Message {
  kind: MailKind
  /** A bare address; goes into the envelope as it is. */
  to: string
  /** Used unless the directory has its own. Never contains a code: lock screens show it. */
  subject: string
  content: MailContent
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

/** Renders a message with the brand, subject and sender of its directory. */
export async function composeMail(work: Pick<Work, 'platform' | 'directory'>, message: Message): Promise<Mail> {
  const { kind, to, content } = message
  const settings = await mailSettings().effective(work)
  const brand = await brandOf(work)
  return {
    kind,
    to,
    subject: oneLine(fillIn(ownSubject(settings, kind) ?? message.subject, brand)),
    ...renderMail(content, brand),
    from: { name: settings.from_name ?? settings.brand_name, address: settings.from_address },
    replyTo: settings.reply_to,
  }
}
