import { ApiError } from '../../../platform/errors.ts'
import { fillIn } from '../../../platform/mail/layout.ts'
import { texts } from '../../../platform/messages/texts.gen.ts'
import type { Say } from '../../../platform/messages/texts.ts'
import type { Field } from '../../../platform/pages/fields.ts'
import { form } from '../../../platform/pages/form.ts'
import { html } from '../../../platform/pages/html.ts'
import { paragraph } from '../../../platform/pages/parts.ts'
import { doorRoutes } from '../../access/login/login.ts'
import { findUserById } from '../../directory/users/users.ts'
import { type LinkPage, type LiveLink, linkFields, linkHome, type View } from '../pages/pages.ts'
import { losesPassword, provePasswordEvents } from '../password/password.ts'
import { verificationPurpose, verifyEmail } from './email-verification.ts'

const REMOVE = 'remove_password'

/** The page that the link for proving a mailbox opens. */
export const verificationPage: LinkPage = {
  type: verificationPurpose.type,
  service: 'auth',
  used: texts.emailVerification.page.used,
  another: texts.pages.link.requestAtSignUp,
  events: [...doorRoutes.proofEvents, ...provePasswordEvents],
  show: verificationForm,
  async act(live, sent) {
    const { work, token, who, language } = live
    const hadPassword = await asksForPassword(live)
    const isRemoved = sent[REMOVE] === 'yes'
    const password = (hadPassword && !isRemoved && sent['password']) || undefined
    // Never removes a password without asking, because it may have been set after the page was shown.
    if (hadPassword && !isRemoved && password === undefined) return again(live, texts.emailVerification.page.missing)
    const presented = { email: who.address.email, token, ...(password === undefined ? {} : { password }) }
    try {
      await verifyEmail(work, presented)
    } catch (error) {
      if (!(error instanceof ApiError) || error.definition.code !== 'invalid_credentials') throw error
      return again(live, texts.emailVerification.page.wrong)
    }
    const { signIn, removed, done } = texts.emailVerification.page
    const body = html`${paragraph(signIn(language))}${
      hadPassword && isRemoved && paragraph(removed(language))
    }${linkHome(live)}`
    return { title: done(language), body }
  },
}

async function again(live: LiveLink, error: Say): Promise<View> {
  return { ...(await verificationForm(live, error(live.language))), status: 422 }
}

async function verificationForm(live: LiveLink, error?: string): Promise<View> {
  const { language, brand } = live
  const password: Field = {
    kind: 'password',
    name: 'password',
    label: texts.emailVerification.page.password(language),
    hint: texts.emailVerification.page.hint(language),
    ...(error === undefined ? {} : { error }),
  }
  const asksPassword = await asksForPassword(live)
  return {
    title: texts.emailVerification.page.title(language),
    body: html`${paragraph(fillIn(texts.emailVerification.page.given(language), brand))}${
      asksPassword && paragraph(texts.emailVerification.page.choice(language))
    }${form(
      asksPassword
        ? {
            fields: [...linkFields(live), password],
            button: texts.emailVerification.page.keep(language),
            otherButton: { label: texts.emailVerification.page.remove(language), name: REMOVE },
          }
        : { fields: linkFields(live), button: texts.emailVerification.page.confirm(language) },
    )}`,
  }
}

/** Whether there is a password that someone else may have set. */
async function asksForPassword({ work, facts }: LiveLink): Promise<boolean> {
  if (!facts || facts.email_verified) return false
  const user = await findUserById(work, facts.user_id)
  return user !== null && losesPassword(work.db, work.directory, user)
}
