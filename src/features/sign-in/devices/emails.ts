import { EXAMPLE_LINK } from '../../../platform/mail/examples.ts'
import { defineMail, NOTICE } from '../../../platform/mail/kinds.ts'
import { type Message, titled, withValues } from '../../../platform/mail/outbox.ts'
import { type Language, momentInWords, type Reader, spanInWords } from '../../../platform/messages/language.ts'
import { texts } from '../../../platform/messages/texts.gen.ts'
import { readAgent } from './agent.ts'
import type { Device } from './device.ts'

const kinds = {
  newDevice: defineMail(
    'new_device',
    () =>
      newDeviceMail({
        ...EXAMPLE_LINK,
        at: new Date('2030-01-31T12:00:00Z'),
        ip: '203.0.113.7',
        userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
        ttlSeconds: 86_400,
      }),
    {
      ...NOTICE,
      time: { means: 'When the user signed in, in UTC.' },
      device: { means: 'The browser and system, such as `Firefox on Linux`.' },
      ip: { means: 'The IP address. Absent if it is unknown.', optional: true },
    },
  ),
}

/**
 * Tells a user about a sign-in from a new device. The mail has a link with which the user reports that it was not
 * them.
 */
export function newDeviceMail(signIn: Device & { to: Reader; at: Date; url: string; ttlSeconds: number }): Message {
  const { to, at, ip, userAgent, url, ttlSeconds } = signIn
  return withValues({
    kind: kinds.newDevice,
    to,
    values: (language) => ({
      time: momentInWords(language, at),
      device: nameProgram(language, userAgent),
      ip,
      expires_in: spanInWords(language, ttlSeconds),
    }),
    write: (language, { time, device, ip, expires_in }) =>
      titled(texts.devices.newSignIn(language), {
        paragraphs: [
          texts.devices.signedIn(language),
          time,
          ip === null
            ? texts.devices.fromUnknown(language, { program: device })
            : texts.devices.from(language, { program: device, ip }),
          texts.devices.endSessions(language),
        ],
        button: { label: texts.mail.itWasNotMe(language), url },
        footer: texts.mail.linkIfItWasYou(language, { span: expires_in }),
      }),
  })
}

/**
 * Uses only names from our own list. The person who signs in controls the header and must not control the text of the
 * mail.
 */
function nameProgram(language: Language, userAgent: string | null): string {
  if (userAgent === null) return texts.devices.program.none(language)
  const { browser, system } = readAgent(userAgent)
  if (browser === undefined)
    return system === undefined
      ? texts.devices.program.unknown(language)
      : texts.devices.program.app(language, { system })
  return system === undefined ? browser : texts.devices.program.browser(language, { browser, system })
}
