import { type Brand, OWN_BRAND } from '../mail/brand.ts'
import type { Language } from '../messages/language.ts'
import { texts } from '../messages/texts.gen.ts'
import { type Asset, accentAsset } from './assets.ts'
import { renderDocument } from './document.ts'
import { type Html, html, mailUrl, url } from './html.ts'
import { hostedStyles } from './page-assets.ts'
import { paragraph, type Step, steps } from './parts.ts'
import { policyOf, sourceOf } from './policy.ts'

/** A page as it is sent. */
export interface RenderedPage {
  status: number
  html: Html
  contentSecurityPolicy: string
}

interface HostedPage {
  brand: Brand
  language: Language
  /** The one heading of the first level. */
  title: string
  body: Html
  /** Set if the page is one of several steps. */
  step?: Step
  /** Default 200. */
  status?: number
  /** The address that `submit` may redirect to. Browsers block redirects to other hosts (CSP `form-action`). */
  leadsTo?: string | null
}

/** A page that the service hosts for people: a small card under the brand, without scripts. */
export function renderPage(page: HostedPage): RenderedPage {
  const { brand, status = 200, leadsTo = null } = page
  const contentSecurityPolicy = policyOf({ images: sourceOf(brand.logoUrl), forms: sourceOf(leadsTo) })
  return { status, html: renderCard(page), contentSecurityPolicy }
}

/** The document of a hosted page. */
export function renderCard(page: HostedPage, scripts: readonly Asset[] = []): Html {
  const { brand, language, title, body, step } = page
  const main = html`<header dir="auto">${renderBrand(brand)}</header>
<section>
${step ? steps(language, step) : null}<h1>${title}</h1>
${body}</section>${renderHelp(brand, language)}`
  const styles = [hostedStyles, ...(brand.accentColor === null ? [] : [accentAsset(brand.accentColor)])]
  return renderDocument({ language, title: `${title} · ${brand.name}`, styles, scripts, main })
}

function renderBrand({ name, logoUrl }: Brand): Html {
  return logoUrl === null ? html`${name}` : html`<img src="${url(logoUrl)}" alt="${name}">`
}

function renderHelp({ supportEmail }: Brand, language: Language): Html | null {
  if (supportEmail === null) return null
  // Our texts contain no line break, so it can mark the place of the link.
  const [before = '', after = ''] = texts.mail.layout.help(language, { address: '\n' }).split('\n')
  return html`\n<footer>${before}<a href="${mailUrl(supportEmail)}">${supportEmail}</a>${after}</footer>`
}

/** A page that says what went wrong, with the request id that identifies the occurrence in the log. */
export function renderRefusal(status: number, problem: Record<string, unknown>, requestId: string): RenderedPage {
  const { title, detail } = problem
  const body = html`${paragraph(String(detail))}${paragraph(`Error ${status}, request ${requestId}`)}`
  return renderPage({ brand: OWN_BRAND, language: 'en', title: String(title), status, body })
}
