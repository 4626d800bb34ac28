import { ScimLanguageError } from '../language/error.ts'
import type { ScimValue } from '../language/json.ts'

/** The number of values that a request may still examine. */
export interface Budget {
  left: number
}

// This many characters are compared in the time of one value.
const CHARACTERS = 128

/** Throws ScimLanguageError (tooMany) if too little is left. */
export function spend(budget: Budget, cost: number): void {
  budget.left -= cost
  if (budget.left < 0) throw new ScimLanguageError('tooMany', 'The request compares too many values.')
}

/** The number of names or elements that a value has directly. */
export function widthOf(value: ScimValue | undefined): number {
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0
}

/** The cost of reading texts. */
export function costOfText(...texts: ScimValue[]): number {
  return texts.reduce<number>((cost, text) => cost + (typeof text === 'string' ? text.length / CHARACTERS : 0), 1)
}

/** The cost of reading a value and everything in it. */
export function costOf(value: ScimValue): number {
  if (typeof value !== 'object' || value === null) return costOfText(value)
  return Object.values(value).reduce<number>((cost, part) => cost + costOf(part), 1)
}
