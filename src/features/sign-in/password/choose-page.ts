import { ApiError } from '../../../platform/errors.ts'
import type { Fields } from '../../../platform/http/media.ts'
import { fillIn } from '../../../platform/mail/layout.ts'
import { texts } from '../../../platform/messages/texts.gen.ts'
import type { Say } from '../../../platform/messages/texts.ts'
import { form } from '../../../platform/pages/form.ts'
import { html } from '../../../platform/pages/html.ts'
import { paragraph } from '../../../platform/pages/parts.ts'
import type { Work } from '../../../platform/work.ts'
import { type LinkPage, type LiveLink, linkFields, linkHome, type View } from '../pages/pages.ts'
import { passwordSettings } from './settings.ts'

interface Choice {
  texts: Record<'title' | 'paragraph' | 'button' | 'done' | 'doneText', Say>
  check(live: LiveLink): Promise<unknown>
  set(work: Work, sent: { token: string; password: string }): Promise<void>
}

/**
 * A page whose form asks for a new password. It is shown again if the password was refused and another could be
 * accepted.
 */
export function choosePassword(choice: Choice): Pick<LinkPage, 'show' | 'act'> {
  return {
    async show(live, alert) {
      await choice.check(live)
      return passwordForm(live, choice, alert)
    },
    async act(live, sent: Fields) {
      const { work, token, language } = live
      try {
        await choice.set(work, { token, password: sent['password'] ?? '' })
      } catch (error) {
        return showFormAgain(error, live, choice)
      }
      const { done, doneText } = choice.texts
      return { title: done(language), body: html`${paragraph(doneText(language))}${linkHome(live)}` }
    },
  }
}

/** Shows the form again if another password could be accepted. The link is still valid. */
async function showFormAgain(error: unknown, live: LiveLink, choice: Choice): Promise<View> {
  const alert = error instanceof ApiError ? await alertOf(live, error) : null
  if (!(error instanceof ApiError) || alert === null) throw error
  return { ...(await passwordForm(live, choice, alert)), status: error.definition.status }
}

/** Returns what to do differently, or null if no other password would be accepted either. */
async function alertOf({ work, language }: LiveLink, { definition, details }: ApiError): Promise<string | null> {
  if (definition.code === 'password_breached') return texts.password.page.breached(language)
  if (definition.code === 'unavailable') return texts.password.page.busy(language)
  if (definition.code !== 'weak_password') return null
  const { password_min_length: min, password_max_length: max } = await passwordSettings.effective(work)
  const reasons: unknown = details.extra?.['reasons']
  const said = Object.entries(texts.password.weak).filter(
    ([reason]) => Array.isArray(reasons) && reasons.includes(reason),
  )
  return said.map(([, say]) => say(language, { min: String(min), max: String(max) })).join(' ')
}

async function passwordForm(live: LiveLink, choice: Choice, error?: string): Promise<View> {
  const { language } = live
  const { password_min_length: minLength } = await passwordSettings.effective(live.work)
  return {
    title: choice.texts.title(language),
    body: html`${paragraph(fillIn(choice.texts.paragraph(language), live.brand))}${form({
      fields: [
        ...linkFields(live),
        {
          kind: 'password',
          name: 'password',
          label: texts.password.page.label(language),
          hint: texts.password.page.hint(language, { count: String(minLength) }),
          minLength,
          ...(error === undefined ? {} : { error }),
        },
      ],
      button: choice.texts.button(language),
    })}`,
  }
}
