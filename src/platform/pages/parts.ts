import type { Language } from '../messages/language.ts'
import { texts } from '../messages/texts.gen.ts'
import { attributes, type Html, html, url } from './html.ts'

/** A paragraph of text. */
export function paragraph(text: string): Html {
  return html`<p>${text}</p>\n`
}

/** Text that is shown as it is, such as a command. */
export function verbatim(text: string): Html {
  return html`<pre>${text}</pre>\n`
}

/** An error message. Screen readers announce it immediately. */
export function alertBox(text: string, { focused = false } = {}): Html {
  return html`<p class="alert" role="alert"${attributes({ tabindex: focused && '-1', autofocus: focused })}>${text}</p>\n`
}

/** A message about something that happened, such as that a code was sent. */
export function notice(text: string): Html {
  return html`<p class="notice" role="status">${text}</p>\n`
}

interface Link {
  label: string
  /** An http(s) address, or a path. */
  url: string
}

/** A link on a line of its own. */
export function link({ label, url: target }: Link): Html {
  return html`<p class="link"><a href="${url(target)}">${label}</a></p>\n`
}

/** A link that looks like the main button. */
export function linkButton({ label, url: target }: Link): Html {
  return html`<p><a class="button" href="${url(target)}">${label}</a></p>\n`
}

/** A choice is a link, or a button of the form around the list. */
type Choice = { label: string; detail?: string } & ({ url: string } | { name: string; value: string })

/**
 * A list to choose from, such as organizations or sign-in methods. `label` tells screen readers what is chosen. Safari needs
 * the role, since style sheets remove the marks of the list.
 */
export function choices(label: string, items: readonly Choice[]): Html {
  return html`<ul class="choices" role="list" aria-label="${label}">
${items.map((item) => html`<li>${renderChoice(item)}</li>\n`)}</ul>\n`
}

function renderChoice(choice: Choice): Html {
  const { label, detail } = choice
  const content = html`<span dir="auto">${label}</span>${detail !== undefined && html` <small dir="auto">${detail}</small>`}`
  if ('url' in choice) return html`<a href="${url(choice.url)}">${content}</a>`
  return html`<button name="${choice.name}" value="${choice.value}" formnovalidate>${content}</button>`
}

/** The reader's progress, shown above the heading. */
export interface Step {
  /** From 1. */
  current: number
  count: number
}

export function steps(language: Language, { current, count }: Step): Html {
  const text = texts.pages.step(language, { current: String(current), count: String(count) })
  const parts = Array.from({ length: count }, (_, at) => html`<i${attributes({ class: at < current && 'done' })}></i>`)
  return html`<div class="steps"><p>${text}</p><div aria-hidden="true">${parts}</div></div>\n`
}

interface Device {
  title: string
  /** Such as the place and the last use. */
  details: readonly string[]
  /** Such as `This device`. */
  badge?: string
  /** A button of the form around the list. */
  action?: { label: string; name: string; value: string }
}

/** A list of devices, sessions or passkeys. `id` distinguishes the lists of a page. */
export function devices(id: string, label: string, items: readonly Device[]): Html {
  const render = ({ title, details, badge, action }: Device, at: number) => {
    const titleId = `${id}-${at}`
    const name = html`<strong id="${titleId}" dir="auto">${title}</strong>${badge !== undefined && html` <span class="badge">${badge}</span>`}`
    const button =
      action &&
      html`<button class="small" name="${action.name}" value="${action.value}" aria-describedby="${titleId}" formnovalidate>${action.label}</button>`
    return html`<li><div>${name}${details.map((detail) => html`<small dir="auto">${detail}</small>`)}</div>${button ?? null}</li>\n`
  }
  return html`<ul class="devices" role="list" aria-label="${label}">
${items.map(render)}</ul>\n`
}
