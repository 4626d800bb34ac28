import { defineLinkPurpose, defineMailedPurpose } from '../links/purposes/purposes.ts'

export const resetPurpose = defineMailedPurpose('password_reset', 'recovery')

/** The token that is returned for a right password that must be changed. */
export const changePurpose = defineLinkPurpose('password_change')
