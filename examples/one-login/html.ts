import type { Response } from 'express'
import type { Person } from './session.ts'

/** Text that is already HTML. Everything else is escaped. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Piece = Html | Html[] | string | number | boolean | null | undefined

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function render(piece: Piece): string {
  if (piece instanceof Html) return piece.text
  if (Array.isArray(piece)) return piece.map(render).join('')
  if (piece === null || piece === undefined || typeof piece === 'boolean') return ''
  return String(piece).replaceAll(/[&<>"']/g, (letter) => ENTITIES[letter] ?? '')
}

/** A template whose values are escaped. */
export function html(texts: TemplateStringsArray, ...pieces: Piece[]): Html {
  return new Html(texts.map((text, at) => text + render(pieces[at])).join(''))
}

interface Page {
  title: string
  body: Html
  /** The person who is signed in, for the menu. */
  person?: Person
  /** What went wrong. */
  alert?: string | undefined
  status?: number
  head?: Html
}

export function sendPage(res: Response, { title, body, person, alert, status = alert ? 400 : 200, head }: Page): void {
  const menu = person && [
    html`<a href="/">Home</a>`,
    person.role === 'admin' &&
      html`<a href="/settings">Settings</a> <a href="/audit">Audit log</a> <a href="/events">Events</a>`,
    html`<form method="post" action="/sign-out"><button class="quiet">Sign out</button></form>`,
  ]
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="stylesheet" href="/style.css">
${head}
</head>
<body>
${menu ? html`<nav>${menu.map((each) => html`${each}`)}</nav>` : null}
<main class="${person ? 'wide' : 'narrow'}">
<h1>${title}</h1>
${alert ? html`<p role="alert">${alert}</p>` : null}
${body}
</main>
</body>
</html>`
  res.status(status).type('html').send(page.text)
}
