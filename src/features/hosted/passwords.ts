import { ApiError } from '../../platform/errors.ts'
import type { Fields } from '../../platform/http/media.ts'
import type { Work } from '../../platform/work.ts'
import { acceptOnPage, findInvitation, inviteErrors } from '../invites/invites.ts'
import { getPasswordSettings, passwordSettings, resetOnPage, resetSettings } from '../password/password.ts'
import { addressField, hiddenFields, type LinkPage, type LiveLink, linkHome, type View } from './link.ts'

interface Choice {
  title: string
  paragraph: string
  button: string
  done: { title: string; paragraph: string }
  check(live: LiveLink): Promise<unknown>
  set(work: Work, sent: { token: string; password: string }): Promise<void>
}

/** The page of an invitation: a first password. */
export const invitePage: LinkPage = {
  service: 'password',
  used: 'If it was you, your password is set: sign in with it. If not, tell the person who invited you.',
  another: 'Ask the person who invited you for a new invitation.',
  ...choosePassword({
    title: 'Choose a password',
    paragraph: 'You are invited to {brand}. Choose the password that you will sign in with.',
    button: 'Accept the invitation',
    done: { title: 'Welcome', paragraph: 'Your password is set. Sign in with it and your email address.' },
    async check({ work, token }) {
      await getPasswordSettings(work)
      const { hasCredential } = await findInvitation(work, token)
      if (hasCredential) throw inviteErrors.credentialExists()
    },
    set: acceptOnPage,
  }),
}

/** The page of a reset link: another password. */
export const recoveryPage: LinkPage = {
  service: 'password',
  used: 'If it was you, your password was changed: sign in with it. If not, request another link.',
  another: 'Request a new one where you sign in.',
  ...choosePassword({
    title: 'Choose a new password',
    paragraph: 'You will be signed out everywhere and have to sign in with the new one.',
    button: 'Set the password',
    done: { title: 'Your password was changed', paragraph: 'You are signed out everywhere. Sign in with the new one.' },
    check: ({ work }) => resetSettings(work),
    set: resetOnPage,
  }),
}

function choosePassword(choice: Choice): Pick<LinkPage, 'show' | 'act'> {
  return {
    async show(live, alert) {
      await choice.check(live)
      return passwordForm(live, choice, alert)
    },
    async act(live, form: Fields) {
      const { work, token } = live
      try {
        await choice.set(work, { token, password: form['password'] ?? '' })
      } catch (error) {
        return showFormAgain(error, (alert) => passwordForm(live, choice, alert))
      }
      return { title: choice.done.title, body: { paragraphs: [choice.done.paragraph], ...linkHome(live) } }
    },
  }
}

/** Shows the form again if another password would help; the link is still valid. */
async function showFormAgain(error: unknown, formAgain: (alert: string) => Promise<View>): Promise<View> {
  if (!(error instanceof ApiError)) throw error
  const { status, code } = error.definition
  const alert = ALERTS[code]
  if (alert === undefined) throw error
  return { ...(await formAgain(alert || (error.details.detail ?? error.definition.title))), status }
}

/** Empty where the detail of the refusal can be shown to the user. */
const ALERTS: Record<string, string> = {
  weak_password: '',
  password_breached: 'This password is on a list of common and stolen ones, which attackers try first. Choose another.',
  unavailable: 'The service is busy right now. Try again.',
}

async function passwordForm(live: LiveLink, choice: Choice, alert?: string): Promise<View> {
  const { password_min_length: minLength } = await passwordSettings.effective(live.work)
  return {
    title: choice.title,
    body: {
      ...(alert === undefined ? {} : { alert }),
      paragraphs: [choice.paragraph.replace('{brand}', () => live.brand.name)],
      form: {
        fields: [
          ...hiddenFields(live),
          addressField(live),
          {
            kind: 'password',
            name: 'password',
            label: 'New password',
            hint: `At least ${minLength} characters; spaces are allowed. A few words are easier to remember.`,
            minLength,
            autofocus: alert !== undefined,
          },
        ],
        button: choice.button,
      },
    },
  }
}
