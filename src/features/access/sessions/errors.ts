import { defineErrors } from '../../../platform/errors.ts'

export const sessionErrors = defineErrors({
  notFound: [
    404,
    'session_not_found',
    'Session not found',
    'There is no such session in this organization and environment.',
  ],
})
