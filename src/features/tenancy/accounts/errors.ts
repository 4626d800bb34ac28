import { defineErrors } from '../../../platform/errors.ts'

export const accountErrors = defineErrors({
  accountExists: [
    409,
    'account_exists',
    'The account already exists',
    'An account with this name already has an owner. Choose another name.',
  ],
})
