import { defineMail } from '../../platform/mail/kinds.ts'
import type { Message } from '../../platform/mail/outbox.ts'
import { spanInWords } from '../../platform/mail/span.ts'
import { readAgent } from './agent.ts'
import type { Device } from './device.ts'

const kinds = { newDevice: defineMail('new_device') }

const time = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })

/** To whoever has signed in from a device that is new to them, with the link by which they say that it was not them. */
export function newDeviceMail(signIn: Device & { to: string; at: Date; url: string; ttlSeconds: number }): Message {
  const { to, at, ip, userAgent, url, ttlSeconds } = signIn
  const subject = 'New sign-in to your account'
  const program = userAgent === null ? 'an unknown program' : readAgent(userAgent).words
  return {
    kind: kinds.newDevice,
    to,
    subject,
    content: {
      heading: subject,
      paragraphs: [
        'Your account was signed in to from a device or network that was not used in the last 90 days:',
        `${time.format(at)} UTC`,
        `${program}, ${ip === null ? 'from an unknown address' : `from the address ${ip}`}`,
        'If it was not you, end every session now.',
      ],
      button: { label: 'It was not me', url },
      footer: `The link works once, within ${spanInWords(ttlSeconds)}. If it was you, ignore this email.`,
    },
  }
}
