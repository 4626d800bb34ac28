import { defineErrors } from '../../platform/errors.ts'

export const environmentErrors = defineErrors({
  slugReserved: [
    400,
    'slug_reserved',
    'The slug is reserved',
    'production and staging exist in every account: choose another slug.',
  ],
  slugTaken: [
    409,
    'slug_taken',
    'The slug is taken',
    'Slugs are unique within the account, those of archived organizations included.',
  ],
})
