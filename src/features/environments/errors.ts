import { defineErrors } from '../../platform/errors.ts'

export const environmentErrors = defineErrors({
  slugReserved: [400, 'slug_reserved', 'The slug is reserved'],
  slugTaken: [409, 'slug_taken', 'The slug is taken'],
})
