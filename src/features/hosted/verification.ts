import { ApiError } from '../../platform/errors.ts'
import type { PageField } from '../../platform/http/page-layout.ts'
import { hasPassword } from '../credentials/credentials.ts'
import { verifyEmail } from '../email-verification/email-verification.ts'
import { addressField, hiddenFields, type LinkPage, type LiveLink, linkHome, type View } from './link.ts'

const REMOVE = 'remove_password'
const CHOICE =
  'A password was set before anybody showed whose address this is. If you chose it, enter it to keep it. If you did ' +
  'not, or do not remember it, remove it: you choose another where you sign in.'

/** The page of the link that shows whose a mailbox is. */
export const verificationPage: LinkPage = {
  service: 'auth',
  used: 'If it was you, your address is confirmed: there is nothing left to do.',
  another: 'Ask for a new one where you signed up.',
  show: verificationForm,
  async act(live, form) {
    const { work, token, who } = live
    const hadPassword = await hasUnprovenPassword(live)
    const isRemoved = form[REMOVE] === 'yes'
    const password = (hadPassword && !isRemoved && form['password']) || undefined
    // Never without a word: it may have come to be there since the page was shown.
    if (hadPassword && !isRemoved && password === undefined) return again(live, 'Enter the password, or remove it.')
    const presented = { email: who.address.email, token, ...(password === undefined ? {} : { password }) }
    try {
      await verifyEmail(work, presented)
    } catch (error) {
      if (!(error instanceof ApiError) || error.definition.code !== 'invalid_credentials') throw error
      return again(live, 'This is not the password that was chosen. Try again, or remove it.')
    }
    const lost = 'The password that was set before is gone: choose another where you sign in.'
    const paragraphs = ['The address is yours. You can sign in with it now.']
    if (hadPassword && isRemoved) paragraphs.push(lost)
    return { title: 'Your e-mail address is confirmed', body: { paragraphs, ...linkHome(live) } }
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
    hint: 'The one that you chose when you signed up.',
    autofocus: alert !== undefined,
  }
  const asksPassword = await hasUnprovenPassword(live)
  return {
    title: 'Confirm your e-mail address',
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

/** Whether there is a password that may be somebody else's. */
async function hasUnprovenPassword({ work, facts }: LiveLink): Promise<boolean> {
  if (!facts || facts.email_verified) return false
  return hasPassword(work.db, work.directory, facts.user_id)
}
