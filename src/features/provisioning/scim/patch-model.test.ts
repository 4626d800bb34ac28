import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { provisioned } from '../../../../test/people/scim.ts'
import { addUser, answered, expectRefused, patchOf } from '../../../../test/people/scim-answers.ts'
import { type ModelPerson, steps, tellPerson } from '../../../../test/people/scim-patch.ts'

const RUNS = Number(process.env['SCIM_REQUESTS'] ?? 60)

const app = await startApp()
const tenant = await app.tenant()

test('PATCH over HTTP does what its operations do to a model, or nothing', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(steps, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 }),
      async (patches) => {
        const client = await provisioned(app, tenant)
        const { id } = await addUser(client, { userName: 'ada', emails: [{ value: 'a@x.org' }] })
        let person: ModelPerson = { name: {}, emails: [{ value: 'a@x.org' }], active: true }
        for (const patch of patches) {
          const next = structuredClone(person)
          const refused = patch.map((step) => step.apply(next)).find((reason) => reason !== null)
          const reply = await client.call('PATCH', `/Users/${id}`, patchOf(...patch.map((step) => step.operation)))
          // A user without an address can neither be identified nor get mail.
          if (refused === undefined && reply.status === 400 && !next.emails.some(({ value }) => value !== undefined))
            continue
          if (refused) expectRefused(reply, 400, refused)
          else {
            answered(reply)
            person = next
          }
          const {
            userName: _,
            schemas: __,
            id: ___,
            meta: ____,
            ...shown
          } = answered(await client.call('GET', `/Users/${id}`))
          expect(shown).toEqual(tellPerson(person))
        }
      },
    ),
    { numRuns: RUNS },
  )
})
