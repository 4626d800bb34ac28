import { EXAMPLE_CODE, EXAMPLE_READER } from '../../../platform/mail/examples.ts'
import { defineMail } from '../../../platform/mail/kinds.ts'
import { type Message, titled, withValues } from '../../../platform/mail/outbox.ts'
import { exactSpanInWords, type Language, type Reader, spanInWords } from '../../../platform/messages/language.ts'
import { texts } from '../../../platform/messages/texts.gen.ts'
import type { NewSms } from '../../../platform/sms/outbox.ts'
import type { SsoAccess } from '../../access/login/sso-only/sso-only.ts'
import type { ShownCode } from './codes.ts'

const kinds = {
  otp: defineMail('otp', () => codeMail(EXAMPLE_READER, EXAMPLE_CODE)),
  login: defineMail('login_otp', () => signInMail(EXAMPLE_READER, 'login', EXAMPLE_CODE)),
  signup: defineMail('signup_otp', () => signInMail(EXAMPLE_READER, 'signup', EXAMPLE_CODE)),
  step_up: defineMail('step_up_otp', () => signInMail(EXAMPLE_READER, 'step_up', EXAMPLE_CODE)),
  discovery: defineMail('discovery_otp', () => signInMail(EXAMPLE_READER, 'discovery', EXAMPLE_CODE)),
  singleSignOn: defineMail('single_sign_on', () => singleSignOnMail(EXAMPLE_READER, 'singleSignOn')),
  noAccess: defineMail('single_sign_on_no_access', () => singleSignOnMail(EXAMPLE_READER, 'noAccess')),
  unavailable: defineMail('single_sign_on_unavailable', () => singleSignOnMail(EXAMPLE_READER, 'unavailable')),
}

/**
 * Title and instruction of a mail with a code of words, by purpose. A sign-up mail has a different subject and
 * heading.
 */
const WORDS = {
  login: { title: texts.otp.signInCode, enter: texts.otp.enterToSignIn },
  step_up: { title: texts.otp.confirmYourself, enter: texts.otp.enterToConfirm },
  discovery: { title: texts.otp.signInCode, enter: texts.otp.enterToContinue },
  signup: { title: null, enter: texts.otp.enterToContinue },
}

/** The mail with a generator's code. No subject contains the code, because lock screens show subjects. */
export function codeMail(to: Reader, { code, digitCode, ttlSeconds }: ShownCode): Message {
  return withValues({
    kind: kinds.otp,
    to,
    values: (language) => ({ digits: digitCode, expires_in: exactSpanInWords(language, ttlSeconds) }),
    write: (language, names) =>
      titled(texts.otp.oneTimeCode(language), {
        paragraphs: [texts.otp.enterCode(language), ...digitsLine(language, names.digits)],
        code,
        footer: texts.otp.codeNotAskedFor(language, { span: names.expires_in }),
      }),
  })
}

/** The text message with a code. */
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
  return withValues({
    kind: kinds[purpose],
    to,
    values: (language) => ({ digits: otp.digitCode, expires_in: spanInWords(language, otp.ttlSeconds) }),
    write: (language, names) => ({
      subject: (title ?? texts.mail.confirmAddress)(language),
      content: {
        heading: (title ?? texts.mail.welcome)(language),
        paragraphs: [ask(language), ...digitsLine(language, names.digits)],
        code: otp.code,
        footer: once(language, { span: names.expires_in }),
      },
    }),
  })
}

/** The mail that is sent instead of a code or a link if the person must use single sign-on. */
export function singleSignOnMail(to: Reader, way: SsoAccess): Message {
  const { title, paragraph } = way === 'singleSignOn' ? texts.otp.singleSignOn : texts.otp.singleSignOn[way]
  return {
    kind: kinds[way],
    to,
    write: (language) =>
      titled(title(language), {
        paragraphs: [paragraph(language)],
        footer: texts.otp.singleSignOn.notAskedFor(language),
      }),
  }
}

function digitsLine(language: Language, digits: string | null): string[] {
  return digits === null ? [] : [texts.otp.enterDigits(language, { digits })]
}
