import { defineMail } from '../../../platform/mail/kinds.ts'
import { type Message, titled } from '../../../platform/mail/outbox.ts'
import { exactSpanInWords, type Language, type Reader, spanInWords } from '../../../platform/messages/language.ts'
import { texts } from '../../../platform/messages/texts.gen.ts'
import type { NewSms } from '../../../platform/sms/outbox.ts'
import type { ShownCode } from './codes.ts'

const kinds = {
  otp: defineMail('otp'),
  login: defineMail('login_otp'),
  signup: defineMail('signup_otp'),
  step_up: defineMail('step_up_otp'),
  discovery: defineMail('discovery_otp'),
  singleSignOn: defineMail('single_sign_on'),
}

/** Title and instruction of a code of words, by its purpose. The mail of a sign-up has another subject and heading. */
const WORDS = {
  login: { title: texts.otp.signInCode, enter: texts.otp.enterToSignIn },
  step_up: { title: texts.otp.confirmYourself, enter: texts.otp.enterToConfirm },
  discovery: { title: texts.otp.signInCode, enter: texts.otp.enterToContinue },
  signup: { title: null, enter: texts.otp.enterToContinue },
}

/** The mail with a code of the generator. It is in no subject, which lock screens show. */
export function codeMail(to: Reader, { code, digitCode, ttlSeconds }: ShownCode): Message {
  return {
    kind: kinds.otp,
    to,
    write: (language) =>
      titled(texts.otp.oneTimeCode(language), {
        paragraphs: [texts.otp.enterCode(language), ...digitsLine(language, digitCode)],
        code,
        footer: texts.otp.codeNotAskedFor(language, { span: exactSpanInWords(language, ttlSeconds) }),
      }),
  }
}

/** The same as a text message. */
export function codeSms(to: NewSms['to'], shown: ShownCode, use: keyof typeof texts.otp.sms.code = 'otp'): NewSms {
  const { code, digitCode: digits, ttlSeconds } = shown
  return {
    kind: use,
    to,
    write: (language) =>
      texts.otp.sms.code[use](language, {
        code: digits === null ? code : texts.otp.sms.codeOrDigits(language, { code, digits }),
        span: exactSpanInWords(language, ttlSeconds),
      }),
  }
}

/** The mail with a sign-in or sign-up code. */
export function signInMail(to: Reader, purpose: keyof typeof WORDS, otp: ShownCode): Message {
  const { title, enter } = WORDS[purpose]
  const [ask, once] = /^\d+$/.test(otp.code)
    ? ([texts.otp.enterCode, texts.otp.codeNotAskedFor] as const)
    : ([enter, texts.otp.wordsNotAskedFor] as const)
  return {
    kind: kinds[purpose],
    to,
    write: (language) => ({
      subject: (title ?? texts.mail.confirmAddress)(language),
      content: {
        heading: (title ?? texts.mail.welcome)(language),
        paragraphs: [ask(language), ...digitsLine(language, otp.digitCode)],
        code: otp.code,
        footer: once(language, { span: spanInWords(language, otp.ttlSeconds) }),
      },
    }),
  }
}

/** The mail in place of a code or a link, to a person who signs in by single sign-on alone. */
export function singleSignOnMail(to: Reader): Message {
  return {
    kind: kinds.singleSignOn,
    to,
    write: (language) =>
      titled(texts.otp.singleSignOn.title(language), {
        paragraphs: [texts.otp.singleSignOn.paragraph(language)],
        footer: texts.otp.singleSignOn.notAskedFor(language),
      }),
  }
}

function digitsLine(language: Language, digits: string | null): string[] {
  return digits === null ? [] : [texts.otp.enterDigits(language, { digits })]
}
