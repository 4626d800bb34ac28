import { defineErrors } from '../../platform/errors.ts'

export const apiKeyErrors = defineErrors({
  privilegeEscalation: [403, 'privilege_escalation', 'The new key would be able to do more than yours'],
  notFound: [404, 'api_key_not_found', 'API key not found'],
  inactive: [409, 'api_key_inactive', 'The API key cannot be rotated any more'],
})
