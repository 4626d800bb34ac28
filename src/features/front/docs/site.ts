import { defineAsset } from '../../../platform/pages/assets.ts'
import { renderDocument } from '../../../platform/pages/document.ts'
import { attributes, type Html, html, url } from '../../../platform/pages/html.ts'

const styles = [defineAsset(new URL('assets/docs.css', import.meta.url))]

/** A group in the menu, such as the guides about one subject. */
export interface MenuGroup {
  title: string
  entries: { title: string; path: string }[]
}

interface DocsPage {
  title: string
  /** The page's path, which is highlighted in the menu. */
  path: string
  menu: MenuGroup[]
  /** The content below the heading. */
  content: Html
  /** The search words, on the results page. */
  searched?: string
}

/** Renders a page of the documentation with header, search, menu and content. It contains no script. */
export function renderDocsPage({ title, path, menu, content, searched = '' }: DocsPage): Html {
  return renderDocument({
    title: `${title} · Watchword`,
    styles,
    before: renderHeader(searched),
    main: html`<h1>${title}</h1>\n${content}`,
    after: renderMenu(menu, path),
  })
}

const SECTIONS = [
  ['/docs/guides', 'Guides'],
  ['/docs', 'API reference'],
  ['/docs/errors', 'Errors'],
  ['/docs/events', 'Events'],
] as const

function renderHeader(searched: string): Html {
  const links = SECTIONS.map(([path, title]) => html`<a href="${url(path)}">${title}</a>\n`)
  return html`<header>
<a class="skip" href="#content">Skip to the content</a>
<nav aria-label="Documentation"><strong>Watchword</strong>
${links}<a class="to-menu" href="#menu">Menu</a></nav>
<form action="/docs/search" role="search"><input type="search" name="q" maxlength="100" aria-label="Search the documentation" placeholder="Search" value="${searched}"><button>Search</button></form>
</header>`
}

function renderMenu(menu: MenuGroup[], path: string): Html {
  const groups = menu.map(({ title, entries }) => {
    const items = entries.map((entry) => {
      const current = attributes({ 'aria-current': entry.path === path && 'page' })
      return html`<li><a href="${url(entry.path)}"${current}>${entry.title}</a></li>\n`
    })
    return html`<h2>${title}</h2>\n<ul>\n${items}</ul>\n`
  })
  return html`<nav id="menu" aria-label="Pages">\n${groups}</nav>`
}

/** Renders links to the sections of a page. */
export function renderContents(sections: { id: string; title: string }[]): Html | null {
  if (sections.length < 3) return null
  const items = sections.map(({ id, title }) => html`<li><a href="${url(`#${id}`)}">${title}</a></li>\n`)
  return html`<nav class="contents" aria-label="On this page"><ul>\n${items}</ul></nav>`
}

/** Renders a code block that can be scrolled with the keyboard. */
export function renderCode(code: string): Html {
  return html`<pre tabindex="0"><code>${code}</code></pre>`
}
