import { ApiError } from '../../../platform/errors.ts'
import type { Fields } from '../../../platform/http/media.ts'
import { fillIn } from '../../../platform/mail/layout.ts'
import { texts } from '../../../platform/messages/texts.gen.ts'
import type { Say } from '../../../platform/messages/texts.ts'
import type { Work } from '../../../platform/work.ts'
import { acceptOnPage, findInvitation, inviteErrors } from '../../sign-in/invites/invites.ts'
import { getPasswordSettings, passwordSettings, resetOnPage, resetSettings } from '../../sign-in/password/password.ts'
import { addressField, hiddenFields, type LinkPage, type LiveLink, linkHome, type View } from './link.ts'

interface Choice {
  texts: Record<'title' | 'paragraph' | 'button' | 'done' | 'doneText', Say>
  check(live: LiveLink): Promise<unknown>
  set(work: Work, sent: { token: string; password: string }): Promise<void>
}

const firstPassword = choosePassword({
  texts: { ...texts.hosted.invite, done: texts.mail.welcome },
  async check({ work, token }) {
    await getPasswordSettings(work)
    const { hasCredential } = await findInvitation(work, token)
    if (hasCredential) throw inviteErrors.credentialExists()
  },
  set: acceptOnPage,
})

/** The page of an invitation: a first password, or nothing but a button for a person who needs none. */
export const invitePage: LinkPage = {
  service: 'password',
  used: texts.hosted.invite.used,
  another: texts.hosted.invite.another,
  async show(live) {
    const { needsNoPassword } = await findInvitation(live.work, live.token)
    return needsNoPassword ? joinForm(live) : firstPassword.show(live)
  },
  async act(live, form) {
    const { work, token, language } = live
    const { needsNoPassword } = await findInvitation(work, token)
    if (!needsNoPassword) return firstPassword.act(live, form)
    await acceptOnPage(work, { token })
    const { done, doneText } = texts.hosted.join
    return { title: done(language), body: { paragraphs: [doneText(language)], ...linkHome(live) } }
  },
}

function joinForm(live: LiveLink): View {
  const { language, brand } = live
  return {
    title: texts.hosted.join.title(language),
    body: {
      paragraphs: [fillIn(texts.hosted.join.paragraph(language), brand)],
      form: { fields: [...hiddenFields(live), addressField(live)], button: texts.hosted.invite.button(language) },
    },
  }
}

/** The page of a reset link: another password. */
export const recoveryPage: LinkPage = {
  service: 'password',
  used: texts.hosted.recovery.used,
  another: texts.hosted.requestAtSignIn,
  ...choosePassword({
    texts: texts.hosted.recovery,
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
      const { work, token, language } = live
      try {
        await choice.set(work, { token, password: form['password'] ?? '' })
      } catch (error) {
        return showFormAgain(error, live, choice)
      }
      const { done, doneText } = choice.texts
      return { title: done(language), body: { paragraphs: [doneText(language)], ...linkHome(live) } }
    },
  }
}

/** Shows the form again if another password would help; the link is still valid. */
async function showFormAgain(error: unknown, live: LiveLink, choice: Choice): Promise<View> {
  const alert = error instanceof ApiError ? await alertOf(live, error) : null
  if (!(error instanceof ApiError) || alert === null) throw error
  return { ...(await passwordForm(live, choice, alert)), status: error.definition.status }
}

/** What to do otherwise; null where another password would be no use. */
async function alertOf({ work, language }: LiveLink, { definition, details }: ApiError): Promise<string | null> {
  if (definition.code === 'password_breached') return texts.hosted.password.breached(language)
  if (definition.code === 'unavailable') return texts.hosted.password.busy(language)
  if (definition.code !== 'weak_password') return null
  const { password_min_length: min, password_max_length: max } = await passwordSettings.effective(work)
  const reasons: unknown = details.extra?.['reasons']
  const said = Object.entries(texts.hosted.weakPassword).filter(
    ([reason]) => Array.isArray(reasons) && reasons.includes(reason),
  )
  return said.map(([, say]) => say(language, { min: String(min), max: String(max) })).join(' ')
}

async function passwordForm(live: LiveLink, choice: Choice, alert?: string): Promise<View> {
  const { language } = live
  const { password_min_length: minLength } = await passwordSettings.effective(live.work)
  return {
    title: choice.texts.title(language),
    body: {
      ...(alert === undefined ? {} : { alert }),
      paragraphs: [fillIn(choice.texts.paragraph(language), live.brand)],
      form: {
        fields: [
          ...hiddenFields(live),
          addressField(live),
          {
            kind: 'password',
            name: 'password',
            label: texts.hosted.password.label(language),
            hint: texts.hosted.password.hint(language, { count: String(minLength) }),
            minLength,
            autofocus: alert !== undefined,
          },
        ],
        button: choice.texts.button(language),
      },
    },
  }
}
