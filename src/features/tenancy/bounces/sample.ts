import { freshEmail } from '../../../../test/fresh.ts'
import type { TestApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import type { Start } from '../../../../test/people/records.ts'
import type { Samples } from '../../../../test/walkers/samples.ts'

/** A suppressed address. */
export interface BounceRecords {
  ids: { suppression: string }
}

export async function makeRecords(_: TestApp, { scoped }: Start): Promise<BounceRecords> {
  const bounce = { email: freshEmail('gone'), kind: 'hard' }
  const [reported] = succeeded(await scoped.post('/v1/mail/bounces', bounce)).bounces
  return { ids: { suppression: reported.suppression.id } }
}

export const samples: Samples = {
  'POST /v1/mail/bounces': () => ({ body: { email: freshEmail('full'), kind: 'soft', provider_id: 'bounce-1' } }),
  'GET /v1/mail/suppressions': () => ({}),
  'DELETE /v1/mail/suppressions/{suppressionId}': ({ ids }) => ({ params: { suppressionId: ids.suppression } }),
}

export const notIds = {
  provider_id: 'the id of a report at the mail provider',
  message_id: 'the header of a mail',
}
