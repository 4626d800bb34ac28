import { defineErrors, httpErrors } from '../../platform/errors.ts'

export const organizationErrors = {
  notFound: httpErrors.organizationNotFound,
  ...defineErrors({
    slugTaken: [
      409,
      'slug_taken',
      'The slug is taken',
      'Slugs are unique within the account: among its organizations, archived ones included, and among its environments.',
    ],
  }),
}
