import { maskEmail } from '../../../platform/mail/address.ts'
import { EXAMPLE_CODE, EXAMPLE_LINK, EXAMPLE_READER } from '../../../platform/mail/examples.ts'
import { defineMail, NOTICE } from '../../../platform/mail/kinds.ts'
import { type Message, titled, withValues } from '../../../platform/mail/outbox.ts'
import { type Language, type Reader, spanInWords } from '../../../platform/messages/language.ts'
import { texts } from '../../../platform/messages/texts.gen.ts'
import type { ShownCode } from '../otp/otp.ts'

const kinds = {
  newAddress: defineMail(
    'email_change_otp',
    () => newAddressMail({ ...EXAMPLE_LINK, asker: 'ada@old.example.com', otp: EXAMPLE_CODE }),
    {
      account_address: {
        means: 'The present email address of the account that asks, masked. It shows the request of a stranger.',
        required: true,
      },
    },
  ),
  ownEmailChanged: defineMail(
    'own_email_changed',
    () =>
      ownAddressChangedMail({ ...EXAMPLE_LINK, old: EXAMPLE_READER, new: 'ada@new.example.com', ttlSeconds: 604_800 }),
    {
      ...NOTICE,
      undo_expires_in: {
        means: 'How long the link works, such as `7 days`. Absent if the old address cannot be restored.',
        optional: true,
      },
    },
  ),
}

/**
 * The mail to the new address, with the code that proves it and the link if there is a page for it. The code is not in
 * the subject, because lock screens show subjects. The mail names the user who requested it, because several users may
 * request the same address.
 */
export function newAddressMail(change: {
  to: Reader
  /** The current address of the user who requests the change. */
  asker: string
  otp: ShownCode
  url: string | null
  ttlSeconds: number
}): Message {
  const { to, otp, url, ttlSeconds } = change
  return withValues({
    kind: kinds.newAddress,
    to,
    values: (language) => ({
      account_address: maskEmail(change.asker),
      digits: otp.digitCode,
      expires_in: spanInWords(language, ttlSeconds),
    }),
    write: (language, names) =>
      titled(texts.emailChange.confirmNew(language), {
        paragraphs: [
          texts.emailChange.asks(language, { address: names.account_address }),
          ...(url === null ? [] : [texts.emailChange.follow(language)]),
        ],
        ...(url === null ? {} : { button: { label: texts.emailChange.useAddress(language), url } }),
        code: otp.code,
        codeLabel: labelOf(language, names.digits, url !== null),
        footer: (url === null ? texts.emailChange.codeNotAskedFor : texts.emailChange.linkNotAskedFor)(language, {
          span: names.expires_in,
        }),
      }),
  })
}

interface OwnChange {
  old: Reader
  new: string
  url: string | null
  ttlSeconds: number
}

/**
 * The mail to the old address, with the undo link if there is one. The new address is masked, because it may be a
 * stranger's.
 */
export function ownAddressChangedMail(change: OwnChange): Message {
  const { url, ttlSeconds } = change
  return withValues({
    kind: kinds.ownEmailChanged,
    to: change.old,
    values: (language) => ({
      new_address: maskEmail(change.new),
      undo_expires_in: url === null ? null : spanInWords(language, ttlSeconds),
    }),
    write: (language, names) =>
      titled(texts.mail.addressChanged(language), {
        paragraphs: [
          texts.mail.addressNow(language, { address: names.new_address }),
          ...(url === null ? [] : [texts.emailChange.bringBack(language)]),
        ],
        ...wayBack(language, url, names.undo_expires_in),
      }),
  })
}

function wayBack(language: Language, url: string | null, span: string | null) {
  if (url === null || span === null) return { footer: texts.mail.unexpected(language) }
  return {
    button: { label: texts.mail.itWasNotMe(language), url },
    footer: texts.mail.linkIfItWasYou(language, { span }),
  }
}

function labelOf(language: Language, digits: string | null, hasLink: boolean): string {
  if (digits === null) return (hasLink ? texts.emailChange.orCode : texts.emailChange.code)(language)
  return (hasLink ? texts.emailChange.orCodeOrDigits : texts.emailChange.codeOrDigits)(language, { digits })
}
