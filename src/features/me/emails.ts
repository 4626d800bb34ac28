import { maskEmail } from '../../platform/mail/address.ts'
import { defineMail } from '../../platform/mail/kinds.ts'
import type { Message } from '../../platform/mail/outbox.ts'
import { spanInWords } from '../../platform/mail/span.ts'
import type { ShownCode } from '../otp/otp.ts'

const kinds = { newAddress: defineMail('email_change_otp'), ownEmailChanged: defineMail('own_email_changed') }

/** To the address that somebody wants to have: the code that proves it. It is not in the subject, which lock screens show. */
export function newAddressMail(to: string, otp: ShownCode): Message {
  const subject = 'Confirm your new email address'
  const digits = otp.digitCode === null ? [] : [`If you are asked for digits, enter ${otp.digitCode} instead.`]
  return {
    kind: kinds.newAddress,
    to,
    subject,
    content: {
      heading: subject,
      paragraphs: ['Enter these words to use this address for your account.', ...digits],
      code: otp.code,
      footer:
        `They work once, within ${spanInWords(otp.ttlSeconds)}. ` +
        'If you did not ask for them, ignore this email and do not share them.',
    },
  }
}

/** To the old address, with the link that brings it back, if it may be. The new one is masked: it may be somebody else's. */
export function ownAddressChangedMail(change: {
  old: string
  new: string
  url: string | null
  ttlSeconds: number
}): Message {
  const subject = 'Your email address was changed'
  return {
    kind: kinds.ownEmailChanged,
    to: change.old,
    subject,
    content: {
      heading: subject,
      paragraphs: [
        `Your account now uses ${maskEmail(change.new)}. This address can no longer be used to sign in.`,
        ...(change.url === null ? [] : ['If it was not you, bring this address back: it ends every session.']),
      ],
      ...(change.url === null
        ? { footer: 'If you did not expect this, tell your administrator.' }
        : {
            button: { label: 'It was not me', url: change.url },
            footer: `The link works once, within ${spanInWords(change.ttlSeconds)}. If it was you, ignore this email.`,
          }),
    },
  }
}
