import { defineMail } from '../../../platform/mail/kinds.ts'
import { type Message, titled } from '../../../platform/mail/outbox.ts'
import { type Language, momentInWords, type Reader, spanInWords } from '../../../platform/messages/language.ts'
import { texts } from '../../../platform/messages/texts.gen.ts'
import { readAgent } from './agent.ts'
import type { Device } from './device.ts'

const kinds = { newDevice: defineMail('new_device') }

/** To whoever has signed in from a device that is new to them, with the link by which they say that it was not them. */
export function newDeviceMail(signIn: Device & { to: Reader; at: Date; url: string; ttlSeconds: number }): Message {
  const { to, at, ip, userAgent, url, ttlSeconds } = signIn
  return {
    kind: kinds.newDevice,
    to,
    write(language) {
      const program = nameProgram(language, userAgent)
      return titled(texts.devices.newSignIn(language), {
        paragraphs: [
          texts.devices.signedIn(language),
          momentInWords(language, at),
          ip === null
            ? texts.devices.fromUnknown(language, { program })
            : texts.devices.from(language, { program, ip }),
          texts.devices.endSessions(language),
        ],
        button: { label: texts.mail.itWasNotMe(language), url },
        footer: texts.mail.linkIfItWasYou(language, { span: spanInWords(language, ttlSeconds) }),
      })
    },
  }
}

/** In words of ours alone: whoever signs in writes the header, and must not write the mail. */
function nameProgram(language: Language, userAgent: string | null): string {
  if (userAgent === null) return texts.devices.program.none(language)
  const { browser, system } = readAgent(userAgent)
  if (browser === undefined)
    return system === undefined
      ? texts.devices.program.unknown(language)
      : texts.devices.program.app(language, { system })
  return system === undefined ? browser : texts.devices.program.browser(language, { browser, system })
}
