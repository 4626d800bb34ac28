import type { ApiError } from '../../platform/errors.ts'
import { type LinkPage, linkHome, type ParsedLink, type View } from './link.ts'

/** What a page says when its link is refused. Returns null when there is nothing a user could make sense of. */
export function explainRefusal(error: ApiError, link: ParsedLink, page: LinkPage): View | null {
  const { status, code } = error.definition
  const reason = error.details.extra?.['reason']
  const text = TEXTS[code === 'token_invalid' && typeof reason === 'string' ? reason : code]
  if (!text) return null
  const [title, paragraph] = text
  const advice = code === 'token_invalid' || code === 'token_expired' ? [page.another] : []
  const paragraphs = reason === 'used' ? [page.used] : [withMinutes(paragraph, error), ...advice]
  return { title, status, body: { paragraphs, ...(code === 'credential_exists' ? linkHome(link) : {}) } }
}

/** By error code, and for a right token that is no longer live by the reason. */
const TEXTS: Record<string, readonly [title: string, paragraph: string]> = {
  token_invalid: [
    'This link does not work',
    'Part of it may be missing: open it from the email again, or copy all of it.',
  ],
  used: ['This link was already used', ''],
  withdrawn: ['This link is no longer valid', 'It was withdrawn, or a newer one was sent to you.'],
  token_expired: ['This link has expired', 'Links in emails work only for a limited time.'],
  credential_exists: ['You already have a password', 'Sign in with it. If you forgot it, reset it there.'],
  account_locked: [
    'Your account is locked for a while',
    'A wrong password was entered too often. Come back in {minutes}, or follow the link in the email about the lock.',
  ],
  user_inactive: ['Your account is deactivated', 'Ask your administrator to reactivate it.'],
  organization_suspended: ['Sign-in is closed', 'Your organization is suspended: ask your administrator.'],
  email_exists: ['This address is taken', 'Somebody else has it by now: nothing was changed.'],
  scim_managed: ['Nothing was changed', 'Your organization sets your address: ask your administrator.'],
  sso_required: ['Nothing was changed', 'Your organization signs in elsewhere: ask your administrator.'],
  service_disabled: ['This is turned off', 'Your organization does not use this. Sign in another way.'],
  method_disabled: ['Passwords are turned off', 'Your organization does not use passwords. Sign in another way.'],
  password_reset_disabled: [
    'This is turned off',
    'Passwords cannot be reset by email here: ask your administrator for a new one.',
  ],
}

function withMinutes(text: string, error: ApiError): string {
  const seconds = error.details.extra?.['retry_after']
  const minutes = Math.max(1, Math.ceil(Number(seconds ?? 60) / 60))
  return text.replace('{minutes}', minutes === 1 ? 'a minute' : `${minutes} minutes`)
}
