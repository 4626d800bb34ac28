import { invalidField } from '../errors.ts'

const TAG = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`
const tags = new RegExp(TAG, 'g')
// Recipients ignore empty elements of a list (RFC 9110 §5.6.1.2).
const list = new RegExp(String.raw`^[\t ,]*${TAG}(?:[\t ]*,[\t ,]*${TAG})*[\t ,]*$`)

/**
 * The entity tag of a record (RFC 9110 §8.8.3). Weak, since it stands for what changes can set: counts and moments shown
 * beside that have no version.
 */
export function tagOf({ version }: { version: number }): string {
  return `W/"${version}"`
}

/**
 * Whether an `If-Match` allows a change of what has this entity tag (RFC 9110 §13.1.1): without one, with `*`, or if the
 * tag is in the list. Tags are compared without `W/`: they are versions, of which each has one state to overwrite.
 * Throws `invalid_request` for anything else.
 */
export function matches(ifMatch: string | null, tag: string): boolean {
  if (ifMatch === null || ifMatch.trim() === '*') return true
  if (!list.test(ifMatch)) {
    const message = 'If-Match must be * or entity tags in double quotes, separated by commas'
    throw invalidField('If-Match', 'entity_tags', message)
  }
  return (ifMatch.match(tags) ?? []).map(opaque).includes(opaque(tag))
}

function opaque(tag: string): string {
  return tag.replace(/^W\//, '')
}
