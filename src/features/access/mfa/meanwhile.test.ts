import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { changeDuring } from '../../../../test/in-order.ts'
import { codeOf, enrollTotp, makeProvenUser, signInByLink, succeeded } from '../../../../test/people/factors.ts'
import { sessionRowsOf } from '../../../../test/people/people.ts'
import { gates } from '../../../wiring/gates.ts'
import { readBackupCode } from '../../sign-in/factors/backup-codes.ts'
import { replaceBackupCodes } from '../../sign-in/factors/store.ts'
import { type Gate, gates as loginGates } from '../login/gates.ts'
import { changePolicy } from './policy.ts'

// A change during a sign-in, after the decision whether one factor is enough, still applies to this sign-in.

const app = await startApp()
const tenant = await app.tenant()
const { platform } = app.app

async function newPerson() {
  const subOrgId = await tenant.organization()
  return { subOrgId, ...(await makeProvenUser(tenant, subOrgId)) }
}

test('a policy that is set meanwhile lets nobody in with one factor', async () => {
  const { subOrgId, email, id } = await newPerson()
  // Asked after the gate that applied the previous policy.
  const changing: Gate = {
    async evaluate(work) {
      await changePolicy({ ...work, db: platform.db }, { require_mfa: true, grace_period_days: 0 })
      return null
    },
  }
  loginGates.provide(platform, [...gates, changing])
  const reply = await signInByLink(tenant, email, { subOrgId }).finally(() => loginGates.provide(platform, gates))
  expect([reply.status, reply.body.code]).toEqual([400, 'token_invalid'])
  expect(await sessionRowsOf(platform.db, id)).toEqual([])
  expect(succeeded(await signInByLink(tenant, email, { subOrgId }))).toMatchObject({ enrollment_required: true })
})

test('a factor or a passkey that somebody has got meanwhile is asked for', async () => {
  for (const changes of [{ mfa_enrolled: true }, { passkey_count: 1 }]) {
    const { subOrgId, email, id } = await newPerson()
    const reply = await changeDuring(
      platform,
      id,
      () => signInByLink(tenant, email, { subOrgId }),
      ({ db }) => db.updateTable('users').set(changes).where('id', '=', id).execute(),
    )
    expect([reply.status, reply.body.code]).toEqual([400, 'token_invalid'])
    expect(await sessionRowsOf(platform.db, id)).toEqual([])
  }
})

test('a backup code that was replaced after it was judged opens nothing, and spends no other of its slot', async () => {
  const { subOrgId, email, id } = await newPerson()
  const { backupCodes, secret } = await enrollTotp(tenant, id, { subOrgId })
  const { challenge_token } = succeeded(await signInByLink(tenant, email, { subOrgId }))
  const [code = ''] = backupCodes
  const slot = readBackupCode(code)?.slot ?? ''
  const verify = (code: string) => tenant.post('/v1/mfa/challenge/verify', { subOrgId, challenge_token, code })
  const reply = await changeDuring(
    platform,
    id,
    () => verify(code),
    (work) => replaceBackupCodes(work.db, work.directory, id, [{ slot, hash: 'of another code' }]),
  )
  expect([reply.status, reply.body.code]).toEqual([401, 'mfa_code_invalid'])
  expect(await sessionRowsOf(platform.db, id)).toEqual([])
  const left = await platform.db.selectFrom('backup_codes').select(['slot', 'hash']).where('user_id', '=', id).execute()
  expect(left).toEqual([{ slot, hash: 'of another code' }])
  expect((await verify(codeOf(secret, 1))).status).toBe(200)
})
