import { createHash } from 'node:crypto'
import type { Brand } from '../mail/brand.ts'
import { escapeHtml } from '../mail/html.ts'
import { policyOf, type RenderedPage, renderCard, sourceOf } from './page-layout.ts'

const SCRIPT = 'document.forms[0].submit()'
const SCRIPT_HASH = createHash('sha256').update(SCRIPT).digest('base64')

const WORDS = {
  signIn: { title: 'Continue to your organization', text: 'You are being taken to the sign-in of your organization.' },
  signOut: { title: 'Signing out', text: 'You are being taken to your organization, which signs you out there.' },
}

/**
 * A page that takes a message to a provider in a form, by itself where the browser runs scripts. No script but this one
 * runs. The form may lead anywhere by https, since browsers hold redirects of the provider to `form-action` as well.
 */
export function renderFormPage(
  brand: Brand,
  { target, fields, purpose }: { target: string; fields: [string, string][]; purpose: keyof typeof WORDS },
): RenderedPage {
  const { title, text } = WORDS[purpose]
  const inputs = fields.map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  )
  const content = `<p>${text}</p>
<form method="post" action="${escapeHtml(target)}">
${inputs.join('\n')}
<button class="button">Continue</button>
</form>`
  const policy = policyOf(`data:${sourceOf(brand.logoUrl)}`, `https:${sourceOf(target)}`)
  return {
    status: 200,
    html: renderCard(brand, title, `${content}<script>${SCRIPT}</script>`),
    contentSecurityPolicy: `${policy}; script-src 'sha256-${SCRIPT_HASH}'`,
  }
}
