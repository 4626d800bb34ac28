import type { TestApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import type { Start } from '../../../../test/people/records.ts'
import type { Samples } from '../../../../test/walkers/samples.ts'

/** An active connection, and another one that no other request uses. */
export interface ConnectionRecords {
  ids: { connection: string; draftConnection: string }
}

// It does not need keys of the environment, which take a second to make.
const saml = {
  protocol: 'saml',
  idp_entity_id: 'urn:idp',
  idp_sso_url: 'https://idp.example/sso',
  sign_requests: false,
}

export async function makeRecords(_: TestApp, { scoped }: Start): Promise<ConnectionRecords> {
  const make = async (name: string) =>
    succeeded(await scoped.post('/v1/sso/connections', { name, ...saml })).connection.id
  const connection = await make('Acme')
  succeeded(await scoped.patch(`/v1/sso/connections/${connection}`, { status: 'active' }))
  return { ids: { connection, draftConnection: await make('Other') } }
}

const draft = ({ ids }: { ids: { draftConnection: string } }) => ({ params: { connectionId: ids.draftConnection } })

export const samples: Samples = {
  'GET /v1/sso/connections': () => ({}),
  'POST /v1/sso/connections': () => ({ body: { name: 'Acme', ...saml } }),
  'GET /v1/sso/connections/{connectionId}': draft,
  'PATCH /v1/sso/connections/{connectionId}': (world) => ({ ...draft(world), body: { name: 'Acme Okta' } }),
  'DELETE /v1/sso/connections/{connectionId}': draft,
  'POST /v1/sso/connections/{connectionId}/test': draft,
  'GET /v1/sso/connections/{connectionId}/traces': draft,
}

export const notIds = {
  idp_entity_id: 'a name that the provider has',
  oidc_client_id: 'a name that the provider gives',
}
