import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { routes } from '../../src/wiring/routes.ts'
import { startApp } from '../harness.ts'
import { bodyExamplesOf } from '../rules/contract-examples.ts'
import { nameOf, sendSample } from './samples.ts'

const app = await startApp()
const tenant = await app.tenant()

/** The organization of every printed example. */
const PRINTED = '0198b6f2-50b7-7c92-a6e3-1d8f4b7092ce'

/** What says that a request itself is wrong, whatever there is in the database. */
const MALFORMED = new Set([
  'invalid_request',
  'invalid_json',
  'sub_org_required',
  'sub_org_conflict',
  'metadata_invalid',
])

/** What a body names must exist, and the refusal says that it does not by the same code. */
const NAMES_A_RECORD = new Set(['PUT /v1/organizations/{subOrgId}/members'])

const keyed = routes.filter(({ auth, hidden, method }) => auth === 'key' && !hidden && method !== 'GET')

test('an org-wide key sends every printed body as it is, but for the id of its own organization', async () => {
  const refused: string[] = []
  let sent = 0
  for (const route of keyed)
    for (const [name, example] of bodyExamplesOf(route)) {
      const organization = await tenant.organization()
      const text = JSON.stringify(example).replaceAll(PRINTED, organization)
      const params = Object.fromEntries(
        [...route.path.matchAll(/\{(\w+)\}/g)].map(([, param = '']) => [
          param,
          param === 'subOrgId' ? organization : randomUUID(),
        ]),
      )
      const { status, body } = await sendSample(tenant, route, { params }, { text })
      sent += 1
      const isMissing = NAMES_A_RECORD.has(nameOf(route)) && body.code === 'invalid_request'
      if (status >= 500 || (MALFORMED.has(body.code) && !isMissing))
        refused.push(`${nameOf(route)} ${name}: ${body.code} ${body.detail}`)
    }
  expect(sent).toBeGreaterThan(100)
  expect(refused).toEqual([])
})
