import { defineLinkPurpose, defineMailedPurpose } from '../links/links.ts'

export const resetPurpose = defineMailedPurpose('password_reset', 'recovery')

/** Returned for a right password that must be changed. */
export const changePurpose = defineLinkPurpose('password_change')
