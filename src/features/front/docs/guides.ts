import { readdir, readFile } from 'node:fs/promises'
import { posix } from 'node:path'
import { Marked, type Token, type Tokens } from 'marked'
import { type Html, html, trustOwnFile, url, writeHtml } from '../../../platform/pages/html.ts'
import { type MenuGroup, renderCode, renderContents } from './site.ts'

const folder = new URL('../../../../docs/', import.meta.url)

/** A guide in the folder docs. */
export interface Guide {
  /** The path below docs, such as `sign-in/mfa.md`. */
  file: string
  title: string
  path: string
  markdown: string
}

/** The text below one heading, for the search. */
export interface GuideSection {
  title: string
  /** The anchor. Empty for the beginning of the guide. */
  id: string
  text: string
}

/** The guides by path, and their menu. The index defines the guides and their groups. */
export interface Guides {
  byPath: Map<string, Guide>
  menu: MenuGroup[]
}

const INDEX = 'index.md'
export const GUIDES = '/docs/guides'

/** Reads every guide that the index lists below a heading. */
export async function readGuides(): Promise<Guides> {
  const index = await readFile(new URL(INDEX, folder), 'utf8')
  const groups = groupsOf(index)
  const files = [INDEX, ...groups.flatMap(({ files: named }) => named)]
  const guides = await Promise.all(
    files.map(async (file) => toGuide(file, await readFile(new URL(file, folder), 'utf8'))),
  )
  const byPath = new Map(guides.map((guide) => [guide.path, guide]))
  const menu = groups.map(({ title, files: named }) => ({
    title,
    entries: named.flatMap((file) => {
      const guide = byPath.get(pathOf(file))
      return guide ? [{ title: guide.title, path: guide.path }] : []
    }),
  }))
  return { byPath, menu }
}

// Guides for developers of this service stay in the repository, next to the code that they describe.
const OWN_PAGES: Record<string, string> = {
  [INDEX]: GUIDES,
  'reference/errors.md': '/docs/errors',
  'reference/events.md': '/docs/events',
}

function groupsOf(index: string): { title: string; files: string[] }[] {
  return index
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      title: section.slice(0, section.indexOf('\n')),
      files: [...section.matchAll(/^\| \[[^\]]+\]\(([^)#]+\.md)\)/gm)]
        .map(([, file = '']) => file)
        .filter((file) => isServed(file) && !(file in OWN_PAGES)),
    }))
    .filter(({ files }) => files.length > 0)
}

const isServed = (file: string) => /^[\w-]+\/[\w-]+\.md$|^index\.md$/.test(file) && !file.startsWith('internals/')

const pathOf = (file: string) => OWN_PAGES[file] ?? `${GUIDES}/${file.replace(/\.md$/, '')}`

function toGuide(file: string, markdown: string): Guide {
  const [, title] = /^# (.+)\n/.exec(markdown) ?? []
  if (title === undefined) throw new Error(`The guide ${file} must begin with its title`)
  return { file, title, path: pathOf(file), markdown }
}

const lex = ({ markdown }: Guide) => new Marked({ gfm: true }).lexer(markdown).slice(1)

/** Renders a guide as HTML. */
export function renderGuide(guide: Guide): Html {
  const marked = new Marked({ gfm: true })
  marked.use({ renderer: rendererFor(guide.file) })
  const tokens = lex(guide)
  const headings = tokens.filter((token): token is Tokens.Heading => token.type === 'heading' && token.depth === 2)
  const contents = renderContents(headings.map(({ text }) => ({ id: anchorOf(text), title: plain(text) })))
  return html`${contents}${trustOwnFile(marked.parser(tokens))}`
}

/** The anchor of a heading, as GitHub creates it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
}

const plain = (markdown: string) => markdown.replaceAll(/[`*]|\]\([^)]*\)|\[/g, '')

/** The sections of a guide for the search. */
export function sectionsOf(guide: Guide): GuideSection[] {
  const sections: GuideSection[] = [{ title: guide.title, id: '', text: '' }]
  for (const token of lex(guide)) {
    if (token.type === 'heading') sections.push({ title: plain(token['text']), id: anchorOf(token['text']), text: '' })
    else if (token.type !== 'space' && token.type !== 'html') {
      const section = sections.at(-1)
      if (section) section.text += `${plain(token.raw)} `
    }
  }
  return sections
}

/** Markdown within a line, of a guide. */
type Inline = { parser: { parseInline(tokens: Token[]): string } }
const inline = ({ parser }: Inline, tokens: Token[]) => trustOwnFile(parser.parseInline(tokens))

function rendererFor(file: string) {
  return {
    heading(this: Inline, { tokens, depth, text }: Tokens.Heading) {
      const id = anchorOf(text)
      const link = html`<a href="${url(`#${id}`)}">${inline(this, tokens)}</a>`
      return writeHtml(HEADINGS[depth]?.(id, link) ?? html`<h4 id="${id}">${link}</h4>\n`)
    },
    link(this: Inline, { href, tokens }: Tokens.Link) {
      const label = inline(this, tokens)
      const target = targetOf(file, href)
      return writeHtml(
        target === null
          ? html`${label} (<code>${posix.normalize(posix.join('docs', posix.dirname(file), href))}</code> in the repository)`
          : html`<a href="${url(target)}">${label}</a>`,
      )
    },
    image: ({ href, text }: Tokens.Image) =>
      writeHtml(html`<img src="${url(`/docs/images/${posix.basename(href)}`)}" alt="${text}" loading="lazy">`),
    code: ({ text }: Tokens.Code) => writeHtml(html`${renderCode(text)}\n`),
    table(this: Inline, { header, rows }: Pick<Tokens.Table, 'header' | 'rows'>) {
      const head = header.map(({ tokens }) => html`<th>${inline(this, tokens)}</th>`)
      const body = rows.map(
        (cells) => html`<tr>${cells.map(({ tokens }) => html`<td>${inline(this, tokens)}</td>`)}</tr>\n`,
      )
      return writeHtml(
        html`<div class="scroll" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>\n`,
      )
    },
  }
}

const HEADINGS: Record<number, (id: string, link: Html) => Html> = {
  2: (id, link) => html`<h2 id="${id}">${link}</h2>\n`,
  3: (id, link) => html`<h3 id="${id}">${link}</h3>\n`,
}

/** The target of a guide's link on this site. Null for a file that is only in the repository. */
function targetOf(file: string, href: string): string | null {
  if (/^https?:|^#/.test(href)) return href
  if (href.startsWith('/')) return href
  const [path = '', anchor] = href.split('#')
  const to = posix.normalize(posix.join(posix.dirname(file), path))
  if (!isServed(to)) return null
  // In the catalogue of events, the types themselves are the anchors.
  return `${pathOf(to)}${anchor === undefined ? '' : `#${anchor}`}`
}

/** The images of the guides by name. */
export async function readImages(): Promise<Map<string, Buffer>> {
  const images = new URL('images/', folder)
  const names = await readdir(images)
  return new Map(await Promise.all(names.map(async (name) => [name, await readFile(new URL(name, images))] as const)))
}
