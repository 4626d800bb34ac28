import { defineErrors, httpErrors } from '../../../platform/errors.ts'
import { slugErrors } from '../../../platform/slug.ts'
import { MAX_CUSTOM } from './schema.ts'

export const environmentErrors = {
  notFound: httpErrors.environmentNotFound,
  slugTaken: slugErrors.taken,
  ...defineErrors({
    slugReserved: [
      400,
      'slug_reserved',
      'The slug is reserved',
      'Every account already has the environments production and staging. Choose another slug.',
    ],
    limitReached: [
      409,
      'environment_limit_reached',
      'Too many environments',
      `An organization has at most ${MAX_CUSTOM} custom environments. Use an existing one.`,
    ],
  }),
}
