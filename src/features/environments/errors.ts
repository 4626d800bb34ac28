import { defineErrors } from '../../platform/errors.ts'
import { organizationErrors } from '../organizations/organizations.ts'

export const environmentErrors = {
  slugTaken: organizationErrors.slugTaken,
  ...defineErrors({
    slugReserved: [
      400,
      'slug_reserved',
      'The slug is reserved',
      'production and staging exist in every account: choose another slug.',
    ],
  }),
}
