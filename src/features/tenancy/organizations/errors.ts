import { httpErrors } from '../../../platform/errors.ts'
import { slugErrors } from '../../../platform/slug.ts'

export const organizationErrors = { notFound: httpErrors.organizationNotFound, slugTaken: slugErrors.taken }
