import { expect, test } from 'vitest'
import { fresh } from '../fresh.ts'
import { startApp } from '../harness.ts'
import { newLocal, peopleAt } from '../peers/introductions.ts'
import { succeeded } from '../people/factors.ts'
import { broughtBack, makeSamlOrganization, postResponse } from '../people/saml-connection.ts'
import { provisioned, scimCaller } from '../people/scim.ts'
import { startProcesses } from './processes.ts'

const app = await startApp()
const tenant = await app.tenant()
const [provisioning] = await startProcesses(app, 1)
if (!provisioning) throw new Error('No process')
const organization = await makeSamlOrganization(app, tenant, { jit_provisioning: true })
const { subOrgId, domain, sp } = organization
const key = await tenant.withKey({ subOrgId })
const { token } = await provisioned(app, tenant, subOrgId)
const call = scimCaller(provisioning, token)
const path = new URL(sp.acs_url).pathname.replace(/^\/api/, '')
const newAddress = () => `${newLocal()}@${domain}`

/** What the client says of a person, by what the provider says. */
const resources: Record<string, (told: { subject: string; email: string; upn: string }) => object> = {
  'the same address': ({ email }) => ({ userName: email, externalId: fresh() }),
  'a userName and its address': ({ upn, email }) => ({
    userName: upn,
    externalId: fresh(),
    emails: [{ value: email }],
  }),
  'a userName': ({ upn }) => ({ userName: upn, externalId: fresh() }),
  'an externalId': ({ subject }) => ({ userName: newAddress(), externalId: subject }),
  'a secondary address': ({ email }) => {
    const userName = newAddress()
    return {
      userName,
      emails: [
        { value: userName, primary: true },
        { value: email, type: 'other' },
      ],
    }
  },
}

/** What the browser brings to the process of the test, while the client asks another one. */
async function prepare(told: { subject: string; email: string; upn: string }) {
  const begun = await organization.start()
  const nameIdFormat = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'
  const attributes = { email: [told.email], upn: [told.upn] }
  const xml = organization.respond(begun, { nameId: told.subject, nameIdFormat, attributes })
  return async () => broughtBack(await postResponse(app, path, xml, begun.state))
}

test.each(Object.keys(resources))(
  'a sign-in and a client that introduce a person at once make one user: %s',
  async (name) => {
    for (let round = 0; round < 8; round++) {
      const told = { subject: fresh(), email: newAddress(), upn: newAddress() }
      const resource = { ...resources[name]?.(told) }
      const [signIn, again] = [await prepare(told), await prepare(told)]
      const [came, made] = await Promise.all([signIn(), call('POST', '/Users', resource)])
      expect([made.status, came['error']], made.text).toEqual([201, undefined])
      const id: string = made.body.id
      expect(await again()).toMatchObject({ directory_user_id: id })
      expect(came['directory_user_id']).toBe(id)
      const addresses = [told.email, told.upn, String(Reflect.get(resource, 'userName'))]
      expect(await peopleAt({ key }, addresses)).toEqual([id])
      succeeded(await key.get(`/v1/users/${id}`))
    }
  },
)
