import { ApiError } from '../../platform/errors.ts'
import type { PageField } from '../../platform/http/page-layout.ts'
import { hasPassword } from '../credentials/credentials.ts'
import { verifyEmail } from '../email-verification/email-verification.ts'
import { addressField, hiddenFields, type LinkPage, type LiveLink, linkHome, type View } from './link.ts'

/** The page of the link that shows whose a mailbox is. */
export const verificationPage: LinkPage = {
  service: 'auth',
  used: 'If it was you, your address is confirmed: there is nothing left to do.',
  another: 'Ask for a new one where you signed up.',
  show: verificationForm,
  async act(live, form) {
    const { context, token, who } = live
    const hadPassword = await hasUnprovenPassword(live)
    const password = (hadPassword && form['password']) || undefined
    const presented = { email: who.address.email, token, ...(password === undefined ? {} : { password }) }
    try {
      await verifyEmail(context, presented)
    } catch (error) {
      if (!(error instanceof ApiError) || error.definition.code !== 'invalid_credentials') throw error
      const alert = 'This is not the password that was chosen. Try again, or leave the field empty.'
      return { ...(await verificationForm(live, alert)), status: 422 }
    }
    const lost = 'The password that was set before is gone, as you did not enter it: choose another where you sign in.'
    const paragraphs = ['The address is yours. You can sign in with it now.']
    if (hadPassword && password === undefined) paragraphs.push(lost)
    return { title: 'Your e-mail address is confirmed', body: { paragraphs, ...linkHome(live) } }
  },
}

async function verificationForm(live: LiveLink, alert?: string): Promise<View> {
  const password: PageField = {
    kind: 'password',
    name: 'password',
    label: 'Password (optional)',
    hint: 'The one that you chose when you signed up. Without it, it is removed, as somebody else may have set it.',
    optional: true,
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
      ],
      form: {
        fields: [...hiddenFields(live), addressField(live), ...(asksPassword ? [password] : [])],
        button: 'Confirm',
      },
    },
  }
}

/** Whether there is a password that may be somebody else's. */
async function hasUnprovenPassword({ context, facts }: LiveLink): Promise<boolean> {
  if (!facts || facts.email_verified) return false
  return hasPassword(context.platform.db, context.directory, facts.user_id)
}
