import { ApiError } from '../../../platform/errors.ts'
import { fillIn } from '../../../platform/mail/layout.ts'
import { texts } from '../../../platform/messages/texts.gen.ts'
import type { Say } from '../../../platform/messages/texts.ts'
import type { PageField } from '../../../platform/pages/page-layout.ts'
import { verifyEmail } from '../../sign-in/email-verification/email-verification.ts'
import { hasPassword } from '../../sign-in/password/password.ts'
import { addressField, hiddenFields, type LinkPage, type LiveLink, linkHome, type View } from './link.ts'

const REMOVE = 'remove_password'
/** The page of the link that proves a mailbox. */
export const verificationPage: LinkPage = {
  service: 'auth',
  used: texts.hosted.verification.used,
  another: texts.hosted.requestAtSignUp,
  show: verificationForm,
  async act(live, form) {
    const { work, token, who, language } = live
    const hadPassword = await hasUnprovenPassword(live)
    const isRemoved = form[REMOVE] === 'yes'
    const password = (hadPassword && !isRemoved && form['password']) || undefined
    // Never removed silently: it may have been set since the page was shown.
    if (hadPassword && !isRemoved && password === undefined) return again(live, texts.hosted.verification.missing)
    const presented = { email: who.address.email, token, ...(password === undefined ? {} : { password }) }
    try {
      await verifyEmail(work, presented)
    } catch (error) {
      if (!(error instanceof ApiError) || error.definition.code !== 'invalid_credentials') throw error
      return again(live, texts.hosted.verification.wrong)
    }
    const paragraphs = [texts.hosted.verification.signIn(language)]
    if (hadPassword && isRemoved) paragraphs.push(texts.hosted.verification.removed(language))
    return { title: texts.hosted.verification.done(language), body: { paragraphs, ...linkHome(live) } }
  },
}

async function again(live: LiveLink, alert: Say): Promise<View> {
  return { ...(await verificationForm(live, alert(live.language))), status: 422 }
}

async function verificationForm(live: LiveLink, alert?: string): Promise<View> {
  const { language, brand } = live
  const password: PageField = {
    kind: 'password',
    name: 'password',
    label: texts.hosted.verification.password(language),
    hint: texts.hosted.verification.hint(language),
    autofocus: alert !== undefined,
  }
  const asksPassword = await hasUnprovenPassword(live)
  return {
    title: texts.hosted.verification.title(language),
    body: {
      ...(alert === undefined ? {} : { alert }),
      paragraphs: [
        fillIn(texts.hosted.verification.given(language), brand),
        ...(asksPassword ? [texts.hosted.verification.choice(language)] : []),
      ],
      form: asksPassword
        ? {
            fields: [...hiddenFields(live), addressField(live), password],
            button: texts.hosted.verification.keep(language),
            otherButton: { label: texts.hosted.verification.remove(language), name: REMOVE },
          }
        : { fields: [...hiddenFields(live), addressField(live)], button: texts.hosted.verification.confirm(language) },
    },
  }
}

/** Whether there is a password that someone else may have set. */
async function hasUnprovenPassword({ work, facts }: LiveLink): Promise<boolean> {
  if (!facts || facts.email_verified) return false
  return hasPassword(work.db, work.directory, facts.user_id)
}
