import { escapeHtml } from '../../../platform/mail/html.ts'
import { renderDocument } from '../../../platform/pages/page-layout.ts'

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
  /** Trusted HTML below the heading. */
  content: string
  /** The search words, on the results page. */
  searched?: string
}

/** Renders a page of the documentation with header, search, menu and content. It contains no script. */
export function renderDocsPage({ title, path, menu, content, searched = '' }: DocsPage): string {
  return renderDocument({
    title: `${title} · Watchword`,
    styles: STYLES,
    before: renderHeader(searched),
    main: `<h1>${escapeHtml(title)}</h1>\n${content}`,
    after: renderMenu(menu, path),
  })
}

const SECTIONS = [
  ['/docs/guides', 'Guides'],
  ['/docs', 'API reference'],
  ['/docs/errors', 'Errors'],
  ['/docs/events', 'Events'],
] as const

function renderHeader(searched: string): string {
  const links = SECTIONS.map(([path, title]) => `<a href="${path}">${title}</a>`).join('\n')
  return `<header>
<a class="skip" href="#content">Skip to the content</a>
<nav aria-label="Documentation"><strong>Watchword</strong>
${links}
<a class="to-menu" href="#menu">Menu</a></nav>
<form action="/docs/search" role="search"><input type="search" name="q" maxlength="100" aria-label="Search the documentation" placeholder="Search" value="${escapeHtml(searched)}"><button>Search</button></form>
</header>`
}

function renderMenu(menu: MenuGroup[], path: string): string {
  const groups = menu.map(({ title, entries }) => {
    const items = entries.map(
      (entry) =>
        `<li><a href="${entry.path}"${entry.path === path ? ' aria-current="page"' : ''}>${escapeHtml(entry.title)}</a></li>`,
    )
    return `<h2>${escapeHtml(title)}</h2>\n<ul>\n${items.join('\n')}\n</ul>`
  })
  return `<nav id="menu" aria-label="Pages">\n${groups.join('\n')}\n</nav>`
}

/** Renders links to the sections of a page. */
export function renderContents(sections: { id: string; title: string }[]): string {
  if (sections.length < 3) return ''
  const items = sections.map(({ id, title }) => `<li><a href="#${escapeHtml(id)}">${escapeHtml(title)}</a></li>`)
  return `<nav class="contents" aria-label="On this page"><ul>\n${items.join('\n')}\n</ul></nav>`
}

/** Renders a code block that can be scrolled with the keyboard. */
export function renderCode(code: string): string {
  return `<pre tabindex="0"><code>${escapeHtml(code)}</code></pre>`
}

const STYLES = `body{display:grid;grid-template:auto 1fr/minmax(0,1fr)}
header{display:flex;flex-wrap:wrap;gap:8px 24px;align-items:center;padding:12px 24px;background:var(--card);border-bottom:1px solid var(--line)}
header nav{display:flex;flex-wrap:wrap;gap:4px 20px;flex:1}
header form{display:flex;gap:8px;max-width:100%}
header input{flex:1;min-width:0;width:220px}
header input,header button{padding:6px 10px;border:1px solid var(--soft);border-radius:8px;background:var(--page);color:var(--ink);font:inherit}
header button{cursor:pointer}
.skip{position:absolute;left:-9999px}
.skip:focus{position:static}
main{width:100%;max-width:860px;margin:0;padding:32px 24px 64px;overflow-wrap:break-word}
main p,main li,main dd,main td{color:var(--ink)}
main p,main ul,main ol,main pre,main table{margin:0 0 16px}
main li>p{margin:0 0 8px}
main li{margin:0 0 4px}
main h1{margin:0 0 16px}
main h2{margin:40px 0 12px;font-size:20px;color:var(--ink)}
main h3{margin:28px 0 8px;font-size:17px}
main h4{margin:20px 0 6px;font-size:15px}
main :is(h2,h3,h4) a{text-decoration:none}
main img{max-width:100%;height:auto}
pre{padding:12px 14px;overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:8px}
:not(pre)>code{padding:1px 4px;border-radius:4px;background:var(--hover);overflow-wrap:anywhere}
.scroll{overflow-x:auto;margin:0 0 16px}
table{border-collapse:collapse;font-size:15px}
th,td{padding:6px 12px 6px 0;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
.contents ul{display:flex;flex-wrap:wrap;gap:4px 20px;padding:0;list-style:none}
.operation{margin:0 0 12px;font-weight:600}
.fields{padding:0;list-style:none}
.fields .fields{margin:8px 0 0;padding-left:16px;border-left:2px solid var(--line)}
.fields>li{padding:8px 0;border-top:1px solid var(--line)}
.fields .type{color:var(--soft);font-size:14px}
.fields p{margin:2px 0 0}
details{margin:0 0 16px}
.fields details{margin:6px 0 0}
summary{cursor:pointer}
.results{padding:0;list-style:none}
dl{margin:0;background:var(--card);border:1px solid var(--line);border-radius:12px;overflow:hidden}
dl>div{padding:12px 16px}
dl>div+div{border-top:1px solid var(--line)}
dl>div:target{background:var(--mark)}
dt{font-weight:600}
dd{margin:0}
dd ul{margin:4px 0 0;padding:0;list-style:none}
dd details{margin:6px 0 0}
.results li{margin:0 0 16px}
.results p{margin:2px 0 0}
#menu{padding:0 24px 48px;font-size:15px}
#menu h2{margin:24px 0 6px}
#menu ul{margin:0;padding:0;list-style:none}
#menu a{display:block;padding:3px 0;text-decoration:none}
#menu a:hover,#menu a:focus-visible{text-decoration:underline}
[aria-current=page]{font-weight:600}
:focus-visible{outline:3px solid #4c8dff;outline-offset:2px}
@media (min-width:1000px){body{grid-template:auto 1fr/270px minmax(0,1fr)}header{grid-column:1/3}#menu{grid-area:2/1;border-right:1px solid var(--line)}main{grid-area:2/2}.to-menu{display:none}}`
