import { ApiError } from '../../platform/errors.ts'
import type { PageField } from '../../platform/http/page-layout.ts'
import { verifyEmail } from '../email-verification/email-verification.ts'
import { hasPassword } from '../password/password.ts'
import { addressField, hiddenFields, type LinkPage, type LiveLink, linkHome, type View } from './link.ts'

const REMOVE = 'remove_password'
const CHOICE =
  'A password was set before this address was confirmed. If you chose it, enter it to keep it. If you did not, or do ' +
  'not remember it, remove it: you can choose another where you sign in.'

/** The page of the link that proves a mailbox. */
export const verificationPage: LinkPage = {
  service: 'auth',
  used: 'If it was you, your address is confirmed: there is nothing left to do.',
  another: 'Request a new one where you signed up.',
  show: verificationForm,
  async act(live, form) {
    const { work, token, who } = live
    const hadPassword = await hasUnprovenPassword(live)
    const isRemoved = form[REMOVE] === 'yes'
    const password = (hadPassword && !isRemoved && form['password']) || undefined
    // Never removed silently: it may have been set since the page was shown.
    if (hadPassword && !isRemoved && password === undefined) return again(live, 'Enter the password, or remove it.')
    const presented = { email: who.address.email, token, ...(password === undefined ? {} : { password }) }
    try {
      await verifyEmail(work, presented)
    } catch (error) {
      if (!(error instanceof ApiError) || error.definition.code !== 'invalid_credentials') throw error
      return again(live, 'This is not the password that was chosen. Try again, or remove it.')
    }
    const lost = 'The earlier password was removed: choose another where you sign in.'
    const paragraphs = ['You can now sign in with this address.']
    if (hadPassword && isRemoved) paragraphs.push(lost)
    return { title: 'Your email address is confirmed', body: { paragraphs, ...linkHome(live) } }
  },
}

async function again(live: LiveLink, alert: string): Promise<View> {
  return { ...(await verificationForm(live, alert)), status: 422 }
}

async function verificationForm(live: LiveLink, alert?: string): Promise<View> {
  const password: PageField = {
    kind: 'password',
    name: 'password',
    label: 'Password',
    hint: 'The one you chose when you signed up.',
    autofocus: alert !== undefined,
  }
  const asksPassword = await hasUnprovenPassword(live)
  return {
    title: 'Confirm your email address',
    body: {
      ...(alert === undefined ? {} : { alert }),
      paragraphs: [
        'This address was given for an account at {brand}. Confirm that it is yours.'.replace(
          '{brand}',
          () => live.brand.name,
        ),
        ...(asksPassword ? [CHOICE] : []),
      ],
      form: asksPassword
        ? {
            fields: [...hiddenFields(live), addressField(live), password],
            button: 'Confirm and keep my password',
            otherButton: { label: 'Confirm and remove the password', name: REMOVE },
          }
        : { fields: [...hiddenFields(live), addressField(live)], button: 'Confirm' },
    },
  }
}

/** Whether there is a password that someone else may have set. */
async function hasUnprovenPassword({ work, facts }: LiveLink): Promise<boolean> {
  if (!facts || facts.email_verified) return false
  return hasPassword(work.db, work.directory, facts.user_id)
}
