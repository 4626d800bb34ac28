import { setTimeout as delay } from 'node:timers/promises'
import MiniSearch from 'minisearch'
import { errorCatalogue } from '../../../platform/errors.ts'
import { eventCatalogue } from '../../../platform/events/events.ts'
import { type Html, html, url } from '../../../platform/pages/html.ts'
import { type Guides, sectionsOf } from './guides.ts'
import type { ReferenceTag } from './reference.ts'

/** A search result: a section of a guide, an operation, an error code or an event type. */
interface Place {
  id: string
  title: string
  /** What contains the place, such as the title of the guide. */
  of: string
  text: string
}

// Longer questions are cut, since each term takes time. Prefixes of fewer than `MIN_PREFIX` letters are not searched
// for, since they match hundreds of terms.
const MAX_QUESTION = 100
const MAX_TERMS = 8
const MIN_PREFIX = 3
const MAX_RESULTS = 30
const SNIPPET = 180

export type Search = (question: string) => Place[]

/** The terms of a text. Codes, types and fields count as a whole and by their parts. */
const termsOf = (text: string) =>
  [...text.matchAll(/[\p{L}\p{N}_]+/gu)].flatMap(([word]) => [...new Set([word, ...word.split('_')])])

/** The distinct terms of a question. */
export const termsOfQuestion = (question: string) =>
  [...new Set(termsOf(question.slice(0, MAX_QUESTION)))].slice(0, MAX_TERMS)

/**
 * Builds an index of guides, operations, errors and events. Works in small steps, so that requests are served
 * meanwhile.
 */
export async function makeSearch({ guides, tags }: { guides: Guides; tags: ReferenceTag[] }): Promise<Search> {
  const places = [...(await guidePlaces(guides)), ...operationPlaces(tags), ...cataloguePlaces()]
  const byId = new Map(places.map((place) => [place.id, place]))
  const index = new MiniSearch<Place>({
    fields: ['title', 'of', 'text'],
    tokenize: termsOf,
    searchOptions: {
      boost: { title: 4, of: 2 },
      tokenize: termsOfQuestion,
      prefix: (term) => term.length >= MIN_PREFIX,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      combineWith: 'AND',
    },
  })
  await index.addAllAsync([...byId.values()], { chunkSize: 20 })
  return (question) =>
    index
      .search(question)
      .slice(0, MAX_RESULTS)
      .flatMap(({ id }) => byId.get(id) ?? [])
}

async function guidePlaces({ byPath }: Guides): Promise<Place[]> {
  const places: Place[] = []
  for (const guide of byPath.values()) {
    const { path, title: of } = guide
    for (const { id, title, text } of sectionsOf(guide))
      places.push({ id: id === '' ? path : `${path}#${id}`, title, of, text })
    await delay(0)
  }
  return places
}

function operationPlaces(tags: ReferenceTag[]): Place[] {
  return tags.flatMap(({ path: page, title: of, operations }) =>
    operations.map(({ id, summary, description, method, path }) => ({
      id: `${page}#${id}`,
      title: summary,
      of: `API reference, ${of}`,
      text: `${method} ${path} ${id} ${description}`,
    })),
  )
}

function cataloguePlaces(): Place[] {
  return [
    ...errorCatalogue().map(({ code, title, help }) => ({
      id: `/docs/errors#${code}`,
      title: code,
      of: 'Errors',
      text: `${title}. ${help}`,
    })),
    ...eventCatalogue().map(({ type, help }) => ({
      id: `/docs/events#${type}`,
      title: type,
      of: 'Events',
      text: help,
    })),
  ]
}

/** Renders the results of a search as a list. */
export function renderResults(question: string, places: Place[]): Html {
  if (question.trim() === '') return html`<p>Enter the words to search for.</p>`
  const items = places.map(
    ({ id, title, of, text }) =>
      html`<li><a href="${url(id)}">${title}</a>${of === title ? '' : ` · ${of}`}<p>${snippetOf(text, question)}</p></li>\n`,
  )
  return html`<p role="status">${countOf(places.length)}</p>\n<ul class="results">\n${items}</ul>`
}

function countOf(found: number): string {
  if (found === 0) return 'Nothing was found. Try fewer or other words.'
  return `${found === MAX_RESULTS ? 'The best ' : ''}${found} result${found === 1 ? '' : 's'}`
}

/** The part of a text around the first word of the question. */
function snippetOf(text: string, question: string): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim()
  const [word = ''] = question.trim().split(/\s+/)
  const at = Math.max(0, flat.toLowerCase().indexOf(word.toLowerCase()) - Math.floor(SNIPPET / 3))
  const part = flat.slice(at, at + SNIPPET)
  return `${at > 0 ? '… ' : ''}${part}${at + SNIPPET < flat.length ? ' …' : ''}`
}
