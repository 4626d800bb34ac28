import { defineMail } from '../../../platform/mail/kinds.ts'
import { mailSays } from '../../../platform/mail/messages.ts'
import { type Message, titled } from '../../../platform/mail/outbox.ts'
import { type Language, momentInWords, type Reader, spanInWords } from '../../../platform/messages/language.ts'
import { readAgent } from './agent.ts'
import type { Device } from './device.ts'
import { programSays, says } from './messages.ts'

const kinds = { newDevice: defineMail('new_device') }

/** To whoever has signed in from a device that is new to them, with the link by which they say that it was not them. */
export function newDeviceMail(signIn: Device & { to: Reader; at: Date; url: string; ttlSeconds: number }): Message {
  const { to, at, ip, userAgent, url, ttlSeconds } = signIn
  return {
    kind: kinds.newDevice,
    to,
    write(language) {
      const program = nameProgram(language, userAgent)
      return titled(says.newSignIn(language), {
        paragraphs: [
          says.signedIn(language),
          momentInWords(language, at),
          ip === null ? says.fromUnknown(language, { program }) : says.from(language, { program, ip }),
          says.endSessions(language),
        ],
        button: { label: mailSays.itWasNotMe(language), url },
        footer: mailSays.linkIfItWasYou(language, { span: spanInWords(language, ttlSeconds) }),
      })
    },
  }
}

/** In words of ours alone: whoever signs in writes the header, and must not write the mail. */
function nameProgram(language: Language, userAgent: string | null): string {
  if (userAgent === null) return programSays.none(language)
  const { browser, system } = readAgent(userAgent)
  if (browser === undefined)
    return system === undefined ? programSays.unknown(language) : programSays.app(language, { system })
  return system === undefined ? browser : programSays.browser(language, { browser, system })
}
