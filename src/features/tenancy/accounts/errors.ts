import { defineErrors } from '../../../platform/errors.ts'

export const accountErrors = defineErrors({
  accountExists: [
    409,
    'account_exists',
    'The account exists and has an owner',
    'An account with this name already has an owner: choose another name.',
  ],
})
