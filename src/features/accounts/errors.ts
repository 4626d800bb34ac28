import { defineErrors } from '../../platform/errors.ts'

export const accountErrors = defineErrors({
  accountExists: [
    409,
    'account_exists',
    'The account exists and has an owner',
    'An account of this name has an owner already: choose another name.',
  ],
})
