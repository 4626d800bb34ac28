import type { Language } from '../messages/language.ts'
import { type Asset, assetUrl } from './assets.ts'
import { type Html, html } from './html.ts'
import { baseStyles } from './page-assets.ts'

interface DocumentParts {
  /** Default English. */
  language?: Language
  title: string
  /** Beside those of all pages. */
  styles?: readonly Asset[]
  scripts?: readonly Asset[]
  main: Html
  /** A header above the main content. */
  before?: Html | null
  /** What follows the main content. */
  after?: Html | null
}

/** A whole document with the colors and type of all pages of the service. */
export function renderDocument(page: DocumentParts): Html {
  const { language = 'en', title, styles = [], scripts = [], main, before = null, after = null } = page
  return html`<!doctype html>
<html lang="${language}" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>${title}</title>
${[baseStyles, ...styles].map((asset) => html`<link rel="stylesheet" href="${assetUrl(asset)}">\n`)}${scripts.map((asset) => html`<script src="${assetUrl(asset)}" defer></script>\n`)}</head>
<body>${before}<main id="content">
${main}
</main>${after}</body>
</html>
`
}
