import { type Brand, OWN_BRAND } from '../mail/brand.ts'
import { escapeHtml } from '../mail/html.ts'
import { helpHtml } from '../mail/layout.ts'
import type { Language } from '../messages/language.ts'

/** The parts of the response that shows a page. */
export interface RenderedPage {
  status: number
  html: string
  contentSecurityPolicy: string
}

/** A file that a page, or a program that uses the page, needs. Not cached. */
export interface PageFile {
  status: number
  contentType: string
  content: string
}

/** The content of a hosted page, all as plain text. */
export interface PageBody {
  /** What went wrong. Screen readers announce it at once. */
  alert?: string
  paragraphs?: string[]
  /** Shown literally, for example a command. */
  code?: string
  form?: PageForm
  /** An http(s) link. */
  link?: { label: string; url: string }
}

/**
 * A form that is posted to the page's path without its query. Put what `submit` needs from the query into hidden
 * fields.
 */
export interface PageForm {
  fields: PageField[]
  button: string
  /** A second button, which also sends `<name>=yes` and does not require any field to be filled in. */
  otherButton?: { label: string; name: string }
}

export type PageField =
  | { kind: 'hidden'; name: string; value: string }
  | {
      kind: 'text'
      name: string
      label: string
      value?: string
      hint?: string
      /** The purpose of the field for the browser's autofill, such as `username` or `given-name`. */
      autocomplete?: string
      readOnly?: boolean
      optional?: boolean
    }
  | {
      kind: 'password'
      name: string
      label: string
      hint?: string
      /** Set for a new password, absent for an existing one. */
      minLength?: number
      autofocus?: boolean
    }

interface HostedPage {
  brand: Brand
  language: Language
  title: string
  body: PageBody
  /** Default 200. */
  status?: number
  /** Where `submit` may redirect to. The browser blocks other hosts (CSP `form-action`). */
  leadsTo?: string | null
}

export const PAGE_POLICY = policyOf('data:', "'self'")

export function policyOf(images: string, formAction: string): string {
  return (
    `default-src 'none'; style-src 'unsafe-inline'; img-src ${images}; frame-ancestors 'none'; base-uri 'none'; ` +
    `form-action ${formAction}`
  )
}

// A host may contain a semicolon (WHATWG URL), which would start another directive.
const SOURCE = /^https?:\/\/([a-z\d.-]+|\[[a-f\d:.]+\])(:\d+)?$/

/** The origin of an address, to add to a list in the policy. Empty if there is none or it is not allowed there. */
export function sourceOf(url: string | null): string {
  const origin = url === null ? '' : (URL.parse(url)?.origin ?? '')
  return SOURCE.test(origin) ? ` ${origin}` : ''
}

/** A page that the service hosts for people: a small card with the brand, without scripts. */
export function renderPage(page: HostedPage): RenderedPage {
  const { brand, language, title, body, status = 200, leadsTo = null } = page
  const target = leadsTo === null ? null : URL.parse(leadsTo)
  const elsewhere = target && /^https?:$/.test(target.protocol) ? sourceOf(target.href) : ''
  return {
    status,
    html: renderCard({ brand, language, title }, renderBody(body)),
    contentSecurityPolicy: policyOf(`data:${sourceOf(brand.logoUrl)}`, `'self'${elsewhere}`),
  }
}

/** The document of a hosted page. `content` must be trusted. */
export function renderCard(page: Pick<HostedPage, 'brand' | 'language' | 'title'>, content: string): string {
  const { brand, language, title } = page
  const main = `<header>${renderBrand(brand)}</header>
<section>
<h1>${escapeHtml(title)}</h1>
${content}
</section>${renderHelp(brand, language)}`
  return renderDocument({ language, title: `${title} · ${brand.name}`, styles: HOSTED_STYLES, main })
}

/** The headers of a page. */
export function pageHeaders(contentSecurityPolicy: string) {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': contentSecurityPolicy,
    'x-frame-options': 'DENY',
  }
}

/** A page that says what went wrong, with the request id that identifies the occurrence in the log. */
export function renderRefusal(status: number, problem: Record<string, unknown>, requestId: string): RenderedPage {
  const { title, detail } = problem
  const paragraphs = [String(detail), `Error ${status}, request ${requestId}`]
  return renderPage({ brand: OWN_BRAND, language: 'en', title: String(title), status, body: { paragraphs } })
}

function renderBrand({ name, logoUrl }: Brand): string {
  if (logoUrl === null) return escapeHtml(name)
  return `<img src="${escapeHtml(logoUrl)}" alt="${escapeHtml(name)}">`
}

function renderHelp({ supportEmail }: Brand, language: Language): string {
  return supportEmail === null ? '' : `\n<footer>${helpHtml(language, supportEmail)}</footer>`
}

function renderBody({ alert, paragraphs = [], code, form, link }: PageBody): string {
  const parts = [
    alert === undefined ? '' : `<p role="alert">${escapeHtml(alert)}</p>`,
    ...paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`),
    code === undefined ? '' : `<pre>${escapeHtml(code)}</pre>`,
    form ? renderForm(form) : '',
    link ? renderLink(link) : '',
  ]
  return parts.filter((part) => part !== '').join('\n')
}

function renderLink({ label, url }: { label: string; url: string }): string {
  const { protocol, href } = new URL(url)
  if (!/^https?:$/.test(protocol)) throw new Error('A link of a page must be http(s)')
  return `<p><a class="button" href="${escapeHtml(href)}">${escapeHtml(label)}</a></p>`
}

function renderForm({ fields, button, otherButton }: PageForm): string {
  const other = otherButton
    ? `\n<button class="button other" name="${escapeHtml(otherButton.name)}" value="yes" formnovalidate>${escapeHtml(otherButton.label)}</button>`
    : ''
  // `?` removes the query from the URL that the form is posted to, because it contains the link's secret.
  return `<form method="post" action="?">
${fields.map(renderField).join('\n')}
<button class="button">${escapeHtml(button)}</button>${other}
</form>`
}

function renderField(field: PageField): string {
  const name = escapeHtml(field.name)
  if (field.kind === 'hidden') return `<input type="hidden" name="${name}" value="${escapeHtml(field.value)}">`
  const hint = field.hint === undefined ? '' : `\n<small id="${name}-hint">${escapeHtml(field.hint)}</small>`
  const described = hint && ` aria-describedby="${name}-hint"`
  return `<label for="${name}">${escapeHtml(field.label)}</label>
<input id="${name}" name="${name}"${renderKind(field)}${described}>${hint}`
}

function renderKind(field: Exclude<PageField, { kind: 'hidden' }>): string {
  if (field.kind === 'password') {
    const { minLength, autofocus = false } = field
    const which = minLength === undefined ? '"current-password"' : `"new-password" minlength="${minLength}"`
    return ` type="password" autocomplete=${which} required${autofocus ? ' autofocus' : ''}`
  }
  const { value = '', autocomplete = 'off', readOnly = false, optional = false } = field
  const required = optional ? '' : ' required'
  const flags = `${readOnly ? ' readonly' : ''}${required}`
  return ` type="text" value="${escapeHtml(value)}" autocomplete="${escapeHtml(autocomplete)}"${flags}`
}

interface DocumentParts {
  language?: Language
  title: string
  styles: string
  main: string
  /** A header above the main content. */
  before?: string
  /** What follows the main content. */
  after?: string
}

/**
 * A whole document with the colors and fonts of all pages of the service. Everything except the title must be trusted.
 */
export function renderDocument(page: DocumentParts): string {
  return `<!doctype html>
<html lang="${page.language ?? 'en'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>${escapeHtml(page.title)}</title>
<style>${BASE_STYLES}
${page.styles}</style>
</head>
<body>${page.before ?? ''}<main id="content">
${page.main}
</main>${page.after ?? ''}</body>
</html>
`
}

const BASE_STYLES = `:root{color-scheme:light dark;--page:#f6f7f8;--card:#fff;--ink:#16171a;--soft:#62656d;--line:#e4e5e8;--hover:#f1f2f4;--mark:#fff4c2;--alarm:#b3261e}
@media (prefers-color-scheme:dark){:root{--page:#111214;--card:#1c1d20;--ink:#f2f3f5;--soft:#a4a7ae;--line:#303238;--hover:#25272b;--mark:#3d3714;--alarm:#f2b8b5}}
*{box-sizing:border-box}
html{scroll-padding-top:16px}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:760px;margin:0 auto;padding:32px 16px 64px}
h1{margin:0 0 4px;font-size:24px;line-height:1.3;overflow-wrap:anywhere}
h2{margin:32px 0 8px;font-size:14px;color:var(--soft)}
p{margin:0;color:var(--soft)}
a{color:inherit}
code,pre{font:14px/1.5 ui-monospace,monospace}`

const HOSTED_STYLES = `main{max-width:440px;padding-top:max(32px,8vh)}
header{margin:0 0 16px;font-weight:600;color:var(--soft);overflow-wrap:anywhere}
header img{display:block;max-width:100%;max-height:40px}
section{padding:28px 24px;background:var(--card);border:1px solid var(--line);border-radius:12px}
h1{margin:0 0 12px;font-size:22px;text-wrap:balance}
:lang(ja){word-break:auto-phrase}
p{margin:0 0 16px;color:var(--ink);overflow-wrap:anywhere}
p[role=alert]{padding:10px 12px;border:1px solid var(--alarm);border-radius:8px;color:var(--alarm)}
section>:last-child{margin-bottom:0}
pre{margin:0 0 16px;padding:10px 12px;border:1px solid var(--line);border-radius:8px;background:var(--page);white-space:pre-wrap;overflow-wrap:anywhere}
label{display:block;margin:0 0 4px;font-weight:600}
input{display:block;width:100%;margin:0 0 16px;padding:10px 12px;border:1px solid var(--soft);border-radius:8px;background:var(--page);color:var(--ink);font:inherit}
input[readonly]{border-color:var(--line);color:var(--soft)}
input:has(+small){margin-bottom:4px}
small{display:block;margin:0 0 16px;font-size:14px;color:var(--soft)}
.button{display:block;width:100%;padding:12px 16px;border:0;border-radius:8px;background:var(--ink);color:var(--card);font:inherit;font-weight:600;text-align:center;text-decoration:none;cursor:pointer}
.other{margin-top:12px;border:1px solid var(--soft);background:none;color:var(--ink)}
:focus-visible{outline:3px solid #4c8dff;outline-offset:2px}
footer{margin:12px 4px 0;font-size:14px;color:var(--soft);overflow-wrap:anywhere}`
