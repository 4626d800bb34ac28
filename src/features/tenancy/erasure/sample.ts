import type { TestApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import type { Start } from '../../../../test/people/records.ts'
import type { Samples } from '../../../../test/walkers/samples.ts'

export interface ErasureRecords {
  organizationName: string
  ids: Record<never, string>
}

export async function makeRecords(_: TestApp, { scoped, ids }: Start): Promise<ErasureRecords> {
  const { subOrganization } = succeeded(await scoped.get(`/v1/organizations/${ids.organization}`))
  return { organizationName: subOrganization.name, ids: {} }
}

export const samples: Samples = {
  'POST /v1/organizations/{subOrgId}/erase': ({ ids, organizationName }) => ({
    params: { subOrgId: ids.organization },
    body: { name: organizationName },
  }),
}

export const orgWideOnly = ['POST /v1/organizations/{subOrgId}/erase']
