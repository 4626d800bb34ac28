import { isDeepStrictEqual } from 'node:util'

/** A block of commands in a guide, and what the guide prints below it. */
export interface Block {
  code: string
  /** Null where the guide prints nothing. */
  printed: string | null
}

// Indented ones, as in lists, count as well.
const FENCED = /^( *)```(\w*)\n([\s\S]*?)^ *```$/gm

function fencesOf(guide: string) {
  return [...guide.matchAll(FENCED)].map((match) => {
    const [whole, indent = '', language = '', text = ''] = match
    return {
      runs: language === 'bash' && indent === '',
      language,
      text,
      from: match.index,
      to: match.index + whole.length,
    }
  })
}

type Fence = ReturnType<typeof fencesOf>[number]

const isOutput = (guide: string, fence: Fence | undefined, next: Fence | undefined): next is Fence =>
  fence?.runs === true &&
  next !== undefined &&
  ['json', 'text'].includes(next.language) &&
  guide.slice(fence.to, next.from).trim() === ''

/** The blocks of bash of a guide; output is the block of json or text that follows with nothing in between. */
export function blocksOf(guide: string): Block[] {
  const fences = fencesOf(guide)
  return fences.flatMap((fence, at) => {
    const next = fences[at + 1]
    return fence.runs ? { code: fence.text, printed: isOutput(guide, fence, next) ? next.text : null } : []
  })
}

/** The blocks that are neither run nor compared with what a run prints. */
export function unrunBlocksOf(guide: string): string[] {
  const fences = fencesOf(guide)
  return fences.filter((fence, at) => !fence.runs && !isOutput(guide, fences[at - 1], fence)).map(({ text }) => text)
}

/** What a text has, one after the other: JSON, over several lines or in one, and other lines. */
export function itemsOf(text: string): unknown[] {
  const items: unknown[] = []
  let open = ''
  for (const line of text.split('\n')) {
    if (open === '' && line.trim() === '') continue
    open += `${line}\n`
    // Of JSON over several lines, only the first and the last begin at the margin.
    if (/^[{[]/.test(open) && (/^\s/.test(line) || /^[{[]$/.test(line.trim()))) continue
    items.push(readJson(open))
    open = ''
  }
  return open === '' ? items : [...items, readJson(open)]
}

function readJson(text: string): unknown {
  try {
    return /^[{[]/.test(text) ? JSON.parse(text) : text.trim()
  } catch {
    return text.trim()
  }
}

const PAIR = /^[a-z]+ [a-z]+$/
const DIGITS = /^\d{6}$/
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const MOMENT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g

/**
 * Why something is not what a guide prints, or null. A guide leaves out members of objects and ends of lists; `…` stands
 * for any text; ids, moments and codes are others each time.
 */
export function differenceOf(printed: unknown, real: unknown, path = ''): string | null {
  if (typeof printed === 'string') return isLike(printed, real) ? null : told(path, printed, real)
  if (Array.isArray(printed)) {
    if (!Array.isArray(real)) return told(path, printed, real)
    if (printed.length === 0 && real.length > 0) return told(path, printed, real)
    return first(printed.map((item, at) => differenceOf(item, real[at], `${path}[${at}]`)))
  }
  if (typeof printed === 'object' && printed !== null) {
    if (typeof real !== 'object' || real === null) return told(path, printed, real)
    const members = new Map(Object.entries(real))
    return first(
      Object.entries(printed).map(([name, value]) =>
        members.has(name) ? differenceOf(value, members.get(name), `${path}.${name}`) : `${path}.${name} is not there`,
      ),
    )
  }
  return isDeepStrictEqual(printed, real) ? null : told(path, printed, real)
}

function isLike(printed: string, real: unknown): boolean {
  if (typeof real !== 'string') return false
  if (/^[0-9a-f]{8}-[0-9a-f-]*…?$/.test(printed) && ID.test(real)) return true
  if ([PAIR, DIGITS].some((code) => code.test(printed) && code.test(real))) return true
  const parts = withoutMoments(printed)
    .split('…')
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('[\\s\\S]*')}$`).test(withoutMoments(real))
}

const withoutMoments = (text: string) => text.replaceAll(MOMENT, 'a moment')

const first = (differences: (string | null)[]) => differences.find((difference) => difference !== null) ?? null

const told = (path: string, printed: unknown, real: unknown) =>
  `${path || 'it'} is ${JSON.stringify(real)}, not ${JSON.stringify(printed)}`
