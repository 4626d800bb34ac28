import { maskEmail } from '../../../platform/mail/address.ts'
import { defineMail } from '../../../platform/mail/kinds.ts'
import { type Message, titled } from '../../../platform/mail/outbox.ts'
import { type Language, type Reader, spanInWords } from '../../../platform/messages/language.ts'
import { texts } from '../../../platform/messages/texts.gen.ts'
import type { ShownCode } from '../otp/otp.ts'

const kinds = { newAddress: defineMail('email_change_otp'), ownEmailChanged: defineMail('own_email_changed') }

/**
 * To the address that somebody wants to have: the code that proves it, which is not in the subject, since lock screens show
 * that, and the link that does as well, if there is a page for it. Several may ask for one address: it says who did.
 */
export function newAddressMail(change: {
  to: Reader
  /** The present address of who asks. */
  asker: string
  otp: ShownCode
  url: string | null
  ttlSeconds: number
}): Message {
  const { to, otp, url, ttlSeconds } = change
  const account = { address: maskEmail(change.asker) }
  return {
    kind: kinds.newAddress,
    to,
    write: (language) =>
      titled(texts.emailChange.confirmNew(language), {
        paragraphs: [
          texts.emailChange.asks(language, account),
          ...(url === null ? [] : [texts.emailChange.follow(language)]),
        ],
        ...(url === null ? {} : { button: { label: texts.emailChange.useAddress(language), url } }),
        code: otp.code,
        codeLabel: labelOf(language, otp, url !== null),
        footer: (url === null ? texts.emailChange.codeNotAskedFor : texts.emailChange.linkNotAskedFor)(language, {
          span: spanInWords(language, ttlSeconds),
        }),
      }),
  }
}

interface OwnChange {
  old: Reader
  new: string
  url: string | null
  ttlSeconds: number
}

/** To the old address, with the link that brings it back, if it may be. The new one is masked: it may be somebody else's. */
export function ownAddressChangedMail(change: OwnChange): Message {
  return {
    kind: kinds.ownEmailChanged,
    to: change.old,
    write: (language) =>
      titled(texts.mail.addressChanged(language), {
        paragraphs: [
          texts.mail.addressNow(language, { address: maskEmail(change.new) }),
          ...(change.url === null ? [] : [texts.emailChange.bringBack(language)]),
        ],
        ...wayBack(language, change),
      }),
  }
}

function wayBack(language: Language, { url, ttlSeconds }: OwnChange) {
  if (url === null) return { footer: texts.mail.unexpected(language) }
  return {
    button: { label: texts.mail.itWasNotMe(language), url },
    footer: texts.mail.linkIfItWasYou(language, { span: spanInWords(language, ttlSeconds) }),
  }
}

function labelOf(language: Language, { digitCode: digits }: ShownCode, hasLink: boolean): string {
  if (digits === null) return (hasLink ? texts.emailChange.orCode : texts.emailChange.code)(language)
  return (hasLink ? texts.emailChange.orCodeOrDigits : texts.emailChange.codeOrDigits)(language, { digits })
}
