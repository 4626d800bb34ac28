import type { ApiError } from '../../../platform/errors.ts'
import { spanInWords } from '../../../platform/messages/language.ts'
import { texts } from '../../../platform/messages/texts.gen.ts'
import { html } from '../../../platform/pages/html.ts'
import { paragraph } from '../../../platform/pages/parts.ts'
import { type LinkPage, linkHome, type ShownLink, type View } from '../../sign-in/pages/pages.ts'

/** Title and advice for a refusal. By error code, or by the reason if the token is correct but no longer live. */
const EXPLAINED = {
  ...texts.hosted.refusals,
  token_invalid: { title: texts.hosted.doesNotWork, ...texts.hosted.refusals.token_invalid },
  scim_managed: { title: texts.hosted.nothingChanged, ...texts.hosted.refusals.scim_managed },
  sso_required: { title: texts.hosted.nothingChanged, ...texts.hosted.refusals.sso_required },
}

/** What a page says when its link is refused. Null if no explanation would help the user. */
export function explainRefusal(error: ApiError, link: ShownLink, page: LinkPage): View | null {
  const { status, code } = error.definition
  const { language } = link
  const reason = error.details.extra?.['reason']
  if (reason === 'used')
    return { title: texts.hosted.usedTitle(language), status, body: paragraph(page.used(language)) }
  if (code === 'account_locked') {
    const text = texts.hosted.locked.text(language, { span: spanInWords(language, waitSeconds(error)) })
    return { title: texts.hosted.locked.title(language), status, body: paragraph(text) }
  }
  const name = code === 'token_invalid' && typeof reason === 'string' ? reason : code
  if (!isExplained(name)) return null
  const { title, text } = EXPLAINED[name]
  const needsAnother = code === 'token_invalid' || code === 'token_expired'
  const body = html`${paragraph(text(language))}${needsAnother && paragraph(page.another(language))}${
    code === 'credential_exists' && linkHome(link)
  }`
  return { title: title(language), status, body }
}

function isExplained(name: string): name is keyof typeof EXPLAINED {
  return Object.hasOwn(EXPLAINED, name)
}

/** In whole minutes, rounded up, so that the lock has ended when the page says so. */
function waitSeconds(error: ApiError): number {
  const seconds = error.details.extra?.['retry_after']
  return Math.max(1, Math.ceil(Number(seconds ?? 60) / 60)) * 60
}
