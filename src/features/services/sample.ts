import type { Samples } from '../../../test/samples.ts'

export const samples: Samples = {
  'GET /v1/organization-apps': () => ({}),
  'PUT /v1/organization-apps': () => ({ body: { sidebarGroupsCollapsible: false } }),
}

export const notIds = {
  enabledAppIds: 'names of services',
  'PUT /v1/organization-apps id': 'the caller’s name for a group',
  'PUT /v1/organization-apps appIds': 'names of services',
}
