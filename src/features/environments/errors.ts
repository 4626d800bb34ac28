import { defineErrors } from '../../platform/errors.ts'
import { slugErrors } from '../../platform/slug.ts'

export const environmentErrors = {
  slugTaken: slugErrors.taken,
  ...defineErrors({
    slugReserved: [
      400,
      'slug_reserved',
      'The slug is reserved',
      'production and staging exist in every account: choose another slug.',
    ],
  }),
}
