import type { ApiError } from '../../platform/errors.ts'
import { type BroughtLink, type LinkPage, linkHome, type View } from './link.ts'

/** What the page of a link says when it is refused; null: nothing that a person could make sense of. */
export function explainRefusal(error: ApiError, link: BroughtLink, page: LinkPage): View | null {
  const { status, code } = error.definition
  const reason = error.details.extra?.['reason']
  const text = TEXTS[code === 'token_invalid' && typeof reason === 'string' ? reason : code]
  if (!text) return null
  const [title, paragraph] = text
  const advice = code === 'token_invalid' || code === 'token_expired' ? [page.another] : []
  const paragraphs = reason === 'used' ? [page.used] : [withMinutes(paragraph, error), ...advice]
  return { title, status, body: { paragraphs, ...(code === 'credential_exists' ? linkHome(link) : {}) } }
}

/** By code, and for a right token that is over by the reason. */
const TEXTS: Record<string, readonly [title: string, paragraph: string]> = {
  token_invalid: [
    'This link does not work',
    'Part of it may be missing: open it from the mail once more, or copy all of it.',
  ],
  used: ['This link was used already', ''],
  withdrawn: ['This link is no longer good', 'It was withdrawn, or a newer one was sent to you.'],
  token_expired: ['This link has expired', 'Links in mails work only for a limited time.'],
  credential_exists: ['You have a password already', 'Sign in with it. If it is lost, ask for a new one there.'],
  account_locked: [
    'Your account is locked for a while',
    'A wrong password was entered too often. Come back in {minutes}, or follow the link in the mail about the lock first.',
  ],
  user_inactive: ['Your account is switched off', 'Ask your administrator to switch it on again.'],
  organization_suspended: ['Sign-in is closed', 'Your organization is suspended: ask your administrator.'],
  service_disabled: ['This is switched off', 'Your organization does not use this. Sign in another way.'],
  method_disabled: ['Passwords are switched off', 'Your organization does not use passwords. Sign in another way.'],
  password_reset_disabled: [
    'This is switched off',
    'Passwords cannot be reset by mail here: ask your administrator for a new one.',
  ],
}

function withMinutes(text: string, error: ApiError): string {
  const seconds = error.details.extra?.['retry_after']
  const minutes = Math.max(1, Math.ceil(Number(seconds ?? 60) / 60))
  return text.replace('{minutes}', minutes === 1 ? 'a minute' : `${minutes} minutes`)
}
