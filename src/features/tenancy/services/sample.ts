import type { Samples } from '../../../../test/walkers/samples.ts'

export const samples: Samples = {
  'GET /v1/organization-apps': () => ({}),
  'PUT /v1/organization-apps': () => ({ body: { sidebarGroupsCollapsible: false } }),
  'PUT /v1/organization-apps/defaults': () => ({ body: { sidebarGroupsCollapsible: false } }),
}

export const orgWideOnly = ['PUT /v1/organization-apps/defaults']

export const notIds = {
  enabledAppIds: 'names of services',
  'PUT /v1/organization-apps id': 'the caller’s name for a group',
  'PUT /v1/organization-apps appIds': 'names of services',
  'PUT /v1/organization-apps/defaults id': 'the caller’s name for a group',
  'PUT /v1/organization-apps/defaults appIds': 'names of services',
}
