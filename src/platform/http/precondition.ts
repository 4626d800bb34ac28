import { invalidField } from '../errors.ts'

const TAG = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`
const tags = new RegExp(TAG, 'g')
// Recipients must ignore empty elements of a list (RFC 9110 §5.6.1.2).
const list = new RegExp(String.raw`^[\t ,]*${TAG}(?:[\t ]*,[\t ,]*${TAG})*[\t ,]*$`)

/**
 * The entity tag of a record (RFC 9110 §8.8.3). It is weak, because it covers only fields that changes can set. Counts
 * and times that are shown as well have no version.
 */
export function tagOf({ version }: { version: number }): string {
  return `W/"${version}"`
}

/**
 * Whether `If-Match` allows a change of a record with this entity tag (RFC 9110 §13.1.1): if it is absent, is `*`, or
 * has the tag in its list. Tags are compared without `W/`, because they are versions and each version is one state.
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
