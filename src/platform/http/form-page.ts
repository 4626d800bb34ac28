import { createHash } from 'node:crypto'
import { escapeHtml } from '../mail/html.ts'
import { type RenderedPage, renderDocument } from './page-layout.ts'

const SCRIPT = 'document.forms[0].submit()'
const SCRIPT_HASH = createHash('sha256').update(SCRIPT).digest('base64')

/**
 * A page that takes a message to a provider in a form, by itself where the browser runs scripts. No script but this one
 * runs. The form may lead anywhere by https, since browsers hold redirects of the provider to `form-action` as well.
 */
export function renderFormPage(target: string, fields: [string, string][]): RenderedPage {
  const inputs = fields.map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  )
  const main = `<form method="post" action="${escapeHtml(target)}">
${inputs.join('\n')}
<p>You are being taken to the sign-in of your organization.</p>
<p><button>Continue</button></p>
</form>
<script>${SCRIPT}</script>`
  return {
    status: 200,
    html: renderDocument({ title: 'Continue to sign in', styles: '', main }),
    contentSecurityPolicy:
      `default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-${SCRIPT_HASH}'; ` +
      `frame-ancestors 'none'; base-uri 'none'; form-action https: ${new URL(target).origin}`,
  }
}
