import { chooseLanguage } from '../messages/language.ts'
import type { Work } from '../work.ts'
import { brandOf } from './brand.ts'
import { renderMail, withoutLinks } from './layout.ts'
import type { Message } from './message.ts'
import { layOut, type MailTemplate } from './parts.ts'
import { assertLikeExample, namesOf } from './placeholders.ts'
import { mailSettings } from './settings.ts'
import { templatesInForce } from './templates.ts'

/** A mail that is ready to be sent. */
export interface Mail {
  /** The kind of mail, such as `login_otp`. */
  kind: string
  to: string
  subject: string
  text: string
  html: string
  /** The sender that the directory has set. Null stands for the deployment's sender. */
  from: { name: string | null; address: string | null }
  replyTo: string | null
}

type Tenant = Pick<Work, 'platform' | 'directory'>

/**
 * Renders a message in its reader's language, or else the directory's, with the directory's brand, texts and sender.
 * `draft` has texts that replace those that the directory has set.
 */
export async function composeMail(work: Tenant, message: Message, draft?: MailTemplate): Promise<Mail> {
  const { kind, to } = message
  const language = chooseLanguage(to.locale, work.directory.locale)
  const settings = await mailSettings().effective(work)
  const ownBrand = await brandOf(work)
  const brand = { ...ownBrand, name: withoutLinks(ownBrand.name) }
  const values = { ...message.values?.(language, brand.name), brand: brand.name }
  const written = message.write(language, namesOf(values))
  if (work.platform.strict) assertLikeExample(kind, values, written)
  const templates = await templatesInForce(work, { kind, language }, draft)
  const { subject, ...laid } = layOut(written, values, templates, language)
  return {
    kind,
    to: to.email,
    subject,
    ...renderMail(laid, brand, language),
    from: { name: settings.from_name ?? settings.brand_name, address: settings.from_address },
    replyTo: settings.reply_to,
  }
}
