import type { Brand } from '../mail/brand.ts'
import type { Language } from '../messages/language.ts'
import { texts } from '../messages/texts.gen.ts'
import { type RenderedPage, renderCard } from './card.ts'
import { form } from './form.ts'
import { html, url } from './html.ts'
import { sendForm } from './page-assets.ts'
import { paragraph } from './parts.ts'
import { policyOf, sourceOf } from './policy.ts'

/**
 * Renders a page with a form that brings a message to a provider. A script sends the form, or the person presses the
 * button. The form may lead to any https address, and to http if the target is http, because browsers also apply
 * `form-action` to redirects of the target.
 */
export function renderFormPage(
  page: { brand: Brand; language: Language },
  { target, fields, purpose }: { target: string; fields: [string, string][]; purpose: 'signIn' | 'signOut' },
): RenderedPage {
  const { brand, language } = page
  const { title, text } = texts.pages.form[purpose]
  const body = html`${paragraph(text(language))}${form({
    action: url(target),
    fields: fields.map(([name, value]) => ({ kind: 'hidden', name, value })),
    button: texts.pages.form.button(language),
  })}`
  const source = sourceOf(target)
  const forms = `${source.startsWith(' http:') ? ' http:' : ''} https:${source}`
  return {
    status: 200,
    html: renderCard({ ...page, title: title(language), body }, [sendForm]),
    contentSecurityPolicy: policyOf({ images: sourceOf(brand.logoUrl), forms, scripts: true }),
  }
}
