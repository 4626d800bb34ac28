import { defineMail } from '../../platform/mail/kinds.ts'
import type { Message } from '../../platform/mail/outbox.ts'

const kinds = { passkeyRegistered: defineMail('passkey_registered'), passkeyDeleted: defineMail('passkey_deleted') }

const FOOTER =
  'If you did not expect this, tell your administrator at once: someone else may be able to sign in as you.'

function about(name: string | null): string {
  return name === null ? '' : ` (${name})`
}

/** Notifies the user, and so the victim of a takeover, of a new sign-in method (ASVS 6.3.7). */
export function passkeyRegisteredMail(to: string, name: string | null): Message {
  return {
    kind: kinds.passkeyRegistered,
    to,
    subject: 'A passkey was added to your account',
    content: {
      heading: 'A passkey was added to your account',
      paragraphs: [`You can now sign in with it${about(name)}, without a password or a code.`],
      footer: FOOTER,
    },
  }
}

/** The same for passkeys that were removed; null stands for one without a name. */
export function passkeyDeletedMail(to: string, names: (string | null)[]): Message {
  const [name = null, ...more] = names
  if (more.length > 0) return passkeysDeletedMail(to, names)
  return {
    kind: kinds.passkeyDeleted,
    to,
    subject: 'A passkey was removed from your account',
    content: {
      heading: 'A passkey was removed from your account',
      paragraphs: [`It no longer signs you in${about(name)}. You can also delete it from your device.`],
      footer: FOOTER,
    },
  }
}

function passkeysDeletedMail(to: string, names: (string | null)[]): Message {
  const named = names.filter((name) => name !== null)
  const which = named.length > 0 ? `: ${named.join(', ')}` : ''
  const title = `${names.length} passkeys were removed from your account`
  const paragraphs = [`They no longer sign you in${which}. You can also delete them from your devices.`]
  return { kind: kinds.passkeyDeleted, to, subject: title, content: { heading: title, paragraphs, footer: FOOTER } }
}
