import { createHash } from 'node:crypto'
import type { Brand } from '../mail/brand.ts'
import { escapeHtml } from '../mail/html.ts'
import type { Language } from '../messages/language.ts'
import { texts } from '../messages/texts.gen.ts'
import { policyOf, type RenderedPage, renderCard, sourceOf } from './page-layout.ts'

const SCRIPT = 'document.forms[0].submit()'
const SCRIPT_HASH = createHash('sha256').update(SCRIPT).digest('base64')

/**
 * A page with a form that sends a message to an identity provider. With scripts enabled, the form submits itself. No
 * other script can run. The form may lead to any https URL, and to http if its target is http, because browsers apply
 * `form-action` to the target's redirects too.
 */
export function renderFormPage(
  page: { brand: Brand; language: Language },
  { target, fields, purpose }: { target: string; fields: [string, string][]; purpose: 'signIn' | 'signOut' },
): RenderedPage {
  const { brand, language } = page
  const { title, text } = texts.pages.form[purpose]
  const inputs = fields.map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  )
  const content = `<p>${escapeHtml(text(language))}</p>
<form method="post" action="${escapeHtml(target)}">
${inputs.join('\n')}
<button class="button">${escapeHtml(texts.pages.form.button(language))}</button>
</form>`
  const source = sourceOf(target)
  const schemes = source.startsWith(' http:') ? 'http: https:' : 'https:'
  const policy = policyOf(`data:${sourceOf(brand.logoUrl)}`, `${schemes}${source}`)
  return {
    status: 200,
    html: renderCard({ ...page, title: title(language) }, `${content}<script>${SCRIPT}</script>`),
    contentSecurityPolicy: `${policy}; script-src 'sha256-${SCRIPT_HASH}'`,
  }
}
