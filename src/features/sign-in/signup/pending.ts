import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import type { SealedPlace } from '../../../platform/crypto/secret-box.ts'
import { record, systemOrigin } from '../../../platform/events/events.ts'
import type { Origin } from '../../../platform/events/origin.ts'
import { enqueue, type JobHandler } from '../../../platform/jobs/queue.ts'
import { requireEmail } from '../../../platform/mail/address.ts'
import { nullable } from '../../../platform/schema.ts'
import { type Directory, findDirectory } from '../../../platform/tenancy/directory.ts'
import { fits } from '../../../platform/validator.ts'
import { inTx, type TxWork } from '../../../platform/work.ts'
import { doorSettings } from '../../access/login/login.ts'
import { createSignup } from '../../directory/users/users.ts'
import { findWaitingSignup } from '../otp/sign-in-codes/sign-in-codes.ts'

const JOB = 'signup.provision'
const MOST_DELAY_MS = 5000
const aDayFromNow = sql<Date>`clock_now() + interval '24 hours'`

/** The address that signs up, and the origin of the request. */
const Asked = Type.Object({
  email: Type.String(),
  requestId: nullable(Type.String()),
  actor: Type.Object({ type: Type.Unsafe<Origin['actor']['type']>(Type.String()), id: nullable(Type.String()) }),
  onBehalfOf: Type.Optional(Type.Object({ id: Type.String(), name: nullable(Type.String()) })),
  ip: nullable(Type.String()),
  userAgent: nullable(Type.String()),
})

/**
 * Enqueues a job that creates the user of a sign-up code, who must still prove the mailbox. The job is enqueued for
 * taken addresses too, so that both responses take the same time. It runs at a random time within a few seconds, so
 * that its extra work for new addresses does not slow down a particular request.
 */
export async function enqueueProvisioning(
  work: TxWork,
  { otpId, email }: { otpId: string; email: string },
): Promise<void> {
  const { platform, directory, db, origin } = work
  const { requestId, actor, onBehalfOf } = origin
  const { ip, userAgent } = origin.endUser
  const by = { requestId, actor, ...(onBehalfOf ? { onBehalfOf } : {}) }
  const asked: Static<typeof Asked> = { email, ...by, ip, userAgent }
  const sealed = await platform.keyring.seal(sealedPlaceOf(directory, otpId), JSON.stringify(asked))
  await enqueue(db, JOB, { directoryId: directory.id, otpId, sealed }, { delayMs: randomInt(MOST_DELAY_MS) })
}

/** Creates the user of a sign-up code that was not redeemed yet, unless the address is taken by then. */
export const provisionSignup: JobHandler = {
  name: JOB,
  async handle(platform, { directoryId, otpId, sealed }) {
    const directory = await findDirectory(platform, String(directoryId))
    if (!directory) return
    const asked: unknown = JSON.parse(
      await platform.keyring.open(sealedPlaceOf(directory, String(otpId)), String(sealed)),
    )
    if (!fits(Asked, asked)) return
    const { email, ip, userAgent, ...by } = asked
    const origin = { ...systemOrigin(), ...by, endUser: { ip, userAgent } }
    await inTx({ platform, directory, origin, db: platform.db }, async (work) => {
      const waiting = await findWaitingSignup(work, String(otpId))
      if (!waiting) return
      if (!(await doorSettings.effective(work)).allow_sign_up) return
      const made = await createSignup(work, { ...requireEmail(email), ...waiting }, { pending_until: aDayFromNow })
      if (made) await record(work, made.created)
    })
  },
}

function sealedPlaceOf(directory: Directory, otpId: string): SealedPlace {
  return { table: 'otps', column: 'asked', row: `${directory.id}/${otpId}`, accountId: directory.accountId }
}
