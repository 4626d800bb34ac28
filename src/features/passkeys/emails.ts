import type { Message } from '../../platform/mail/outbox.ts'

const FOOTER =
  'If you did not expect this, tell your administrator at once: somebody else may be able to sign in as you.'

function about(name: string | null): string {
  return name === null ? '' : ` (${name})`
}

/** Tells the user, and so the victim of a takeover, of a new way to sign in (ASVS 6.3.7). */
export function passkeyRegisteredMail(to: string, name: string | null): Message {
  return {
    kind: 'passkey_registered',
    to,
    subject: 'A passkey was added to your account',
    content: {
      heading: 'A passkey was added to your account',
      paragraphs: [`You can now sign in with it${about(name)}, without a password or a code.`],
      footer: FOOTER,
    },
  }
}

/** The same of one that is gone. */
export function passkeyDeletedMail(to: string, name: string | null): Message {
  return {
    kind: 'passkey_deleted',
    to,
    subject: 'A passkey was removed from your account',
    content: {
      heading: 'A passkey was removed from your account',
      paragraphs: [`It no longer signs you in${about(name)}. You may delete it on your device as well.`],
      footer: FOOTER,
    },
  }
}
