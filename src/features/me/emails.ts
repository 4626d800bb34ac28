import { maskEmail } from '../../platform/mail/address.ts'
import { defineMail } from '../../platform/mail/kinds.ts'
import type { Message } from '../../platform/mail/outbox.ts'
import { spanInWords } from '../../platform/mail/span.ts'
import type { ShownCode } from '../otp/otp.ts'

const kinds = { newAddress: defineMail('email_change_otp'), ownEmailChanged: defineMail('own_email_changed') }

/**
 * To the address that somebody wants to have: the code that proves it, which is not in the subject, since lock screens show
 * that, and the link that does as well, if there is a page for it. Several may ask for one address: it says who did.
 */
export function newAddressMail(change: {
  to: string
  /** The present address of who asks. */
  asker: string
  otp: ShownCode
  url: string | null
  ttlSeconds: number
}): Message {
  const { to, asker, otp, url, ttlSeconds } = change
  const subject = 'Confirm your new email address'
  const digits = otp.digitCode === null ? '' : ` (or ${otp.digitCode}, if you are asked for digits)`
  const [enter, either] = url === null ? ['Enter', 'The code'] : ['Or enter', 'The link or the code']
  return {
    kind: kinds.newAddress,
    to,
    subject,
    content: {
      heading: subject,
      paragraphs: [
        `The account of ${maskEmail(asker)} asks to use this address.`,
        ...(url === null ? [] : ['If it is yours, follow the link in the browser where you asked for the change.']),
      ],
      ...(url === null ? {} : { button: { label: 'Use this address', url } }),
      code: otp.code,
      codeLabel: `${enter} this code${digits} where you asked for the change:`,
      footer:
        `${either} works once, within ${spanInWords(ttlSeconds)}. ` +
        'If that account is not yours, or you did not ask, ignore this email and do not forward it: whoever confirms it gives this address to that account.',
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
