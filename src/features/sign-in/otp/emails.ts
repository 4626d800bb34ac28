import { defineMail } from '../../../platform/mail/kinds.ts'
import { mailSays } from '../../../platform/mail/messages.ts'
import { type Message, titled } from '../../../platform/mail/outbox.ts'
import { exactSpanInWords, type Language, type Reader, spanInWords } from '../../../platform/messages/language.ts'
import type { NewSms } from '../../../platform/sms/outbox.ts'
import type { ShownCode } from './codes.ts'
import { codeOrDigits, says, smsSays, wordsSay } from './messages.ts'

const kinds = {
  otp: defineMail('otp'),
  login: defineMail('login_otp'),
  signup: defineMail('signup_otp'),
  step_up: defineMail('step_up_otp'),
  discovery: defineMail('discovery_otp'),
}

/** The mail with a code of the generator. It is in no subject, which lock screens show. */
export function codeMail(to: Reader, { code, digitCode, ttlSeconds }: ShownCode): Message {
  return {
    kind: kinds.otp,
    to,
    write: (language) =>
      titled(says.oneTimeCode(language), {
        paragraphs: [says.enterCode(language), ...digitsLine(language, digitCode)],
        code,
        footer: says.codeNotAskedFor(language, { span: exactSpanInWords(language, ttlSeconds) }),
      }),
  }
}

/** The same as a text message. */
export function codeSms(to: NewSms['to'], shown: ShownCode, use: keyof typeof smsSays = 'otp'): NewSms {
  const { code, digitCode: digits, ttlSeconds } = shown
  return {
    kind: use,
    to,
    write: (language) =>
      smsSays[use](language, {
        code: digits === null ? code : codeOrDigits(language, { code, digits }),
        span: exactSpanInWords(language, ttlSeconds),
      }),
  }
}

/** The mail with a sign-in or sign-up code. */
export function signInMail(to: Reader, purpose: keyof typeof wordsSay, otp: ShownCode): Message {
  const { title, enter } = wordsSay[purpose]
  const [ask, once] = /^\d+$/.test(otp.code)
    ? ([says.enterCode, says.codeNotAskedFor] as const)
    : ([enter, says.wordsNotAskedFor] as const)
  return {
    kind: kinds[purpose],
    to,
    write: (language) => ({
      subject: (title ?? mailSays.confirmAddress)(language),
      content: {
        heading: (title ?? mailSays.welcome)(language),
        paragraphs: [ask(language), ...digitsLine(language, otp.digitCode)],
        code: otp.code,
        footer: once(language, { span: spanInWords(language, otp.ttlSeconds) }),
      },
    }),
  }
}

function digitsLine(language: Language, digits: string | null): string[] {
  return digits === null ? [] : [says.enterDigits(language, { digits })]
}
