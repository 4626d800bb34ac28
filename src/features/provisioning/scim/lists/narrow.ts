import type { ScimFilter } from '../../language/filter.ts'
import { attributeKey } from '../../language/schema.ts'

/** Attributes for which any number of resources may have the same value. */
const SHARED = new Set(['type', 'emails.type', 'meta.resourcetype'])

/** Whether an index finds the few rows that a filter can match, by equality or by a prefix. */
export function isNarrow(filter: ScimFilter): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.filters.some(isNarrow)
    case 'or':
      return filter.filters.every(isNarrow)
    case 'elements':
      return isNarrow(filter.filter)
    case 'compare': {
      const { operator, value, attribute } = filter
      const isName = typeof value === 'string' && value !== '' && !SHARED.has(attributeKey(attribute))
      return isName && (operator === 'eq' || operator === 'sw')
    }
    default:
      return false
  }
}
