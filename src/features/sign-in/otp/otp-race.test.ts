import { afterAll, expect, test } from 'vitest'
import { caller, PATIENT_BOUNDS, startApp } from '../../../../test/harness.ts'
import { parseConfig } from '../../../platform/config/config.ts'
import { systemOrigin } from '../../../platform/events/events.ts'
import { burn } from '../../../platform/joined/proofs.ts'
import { createLog } from '../../../platform/observability/log.ts'
import { accountDirectory } from '../../../platform/tenancy/directory.ts'
import { inTx, type Work } from '../../../platform/work.ts'
import { buildApp } from '../../../wiring/app.ts'
import { otpSettings } from './settings.ts'
import { issueOtp, tryOtp } from './sign-in-codes/issued-codes.ts'
import { codeProof } from './store.ts'

// Two services share one database, so a code cannot be kept single-use by the memory of one service.
const first = await startApp()
const second = await buildApp({
  config: parseConfig({ WATCHWORD_BASE_URL: 'http://localhost:4000' }),
  databaseUrl: first.databaseUrl,
  masterKeys: [first.masterKey],
  log: createLog({ logLevel: 'silent' }),
  strict: true,
  bounds: PATIENT_BOUNDS,
})
afterAll(() => second.close())
const secondUrl = await second.server.listen({ host: '127.0.0.1', port: 0 })
const apps = [first.app, second]

/** One tenant, reached through both services in turn. */
async function start() {
  const owner = await first.tenant()
  const callers = [caller(first.baseUrl, owner.key), caller(secondUrl, owner.key)]
  const post = async (at: number, path: string, body: object) => {
    const reply = await callers[at % 2]?.post(`/v1/otp/${path}`, body)
    expect([reply?.status, path]).toEqual([200, path])
    return reply?.body
  }
  return { owner, post }
}

const times = (count: number) => Array.from({ length: count }, (_, at) => at)

function countBy(answers: { valid: boolean; message?: string }[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { valid, message } of answers) counts[message ?? `${valid}`] = (counts[message ?? `${valid}`] ?? 0) + 1
  return counts
}

test('a hundred validations of one code at once: one passes', async () => {
  const { post } = await start()
  for (const _ of times(5)) {
    const { otp_id, code } = await post(0, 'generate', {})
    const answers = await Promise.all(times(100).map((at) => post(at, 'validate', { otp_id, code })))
    expect(countBy(answers)).toEqual({ true: 1, 'Code has already been used': 99 })
  }
})

test('the same through the session alone', async () => {
  const { post } = await start()
  const { code } = await post(0, 'generate', { session_id: 's' })
  const answers = await Promise.all(times(100).map((at) => post(at, 'validate', { session_id: 's', code })))
  expect(countBy(answers)).toEqual({ true: 1, 'Code has already been used': 99 })
})

test('many codes, each through both services at once: each passes once, and nothing waits crosswise', async () => {
  const { post } = await start()
  const made = await Promise.all(times(150).map((at) => post(at, 'generate', {})))
  const asked = [...made.entries(), ...[...made.entries()].reverse().map(([at, code]) => [at + 1, code] as const)]
  const answers = await Promise.all(asked.map(([at, { otp_id, code }]) => post(at, 'validate', { otp_id, code })))
  expect(countBy(answers)).toEqual({ true: 150, 'Code has already been used': 150 })
})

test('two hundred guesses at once: five are judged, then the code is dead', async () => {
  const { post } = await start()
  const { otp_id, code } = await post(0, 'generate', {})
  const answers = await Promise.all(times(200).map((at) => post(at, 'validate', { otp_id, code: `guess ${at}` })))
  expect(countBy(answers)).toEqual({ 'Invalid code': 5, 'Too many attempts': 195 })
  expect(countBy([await post(1, 'validate', { otp_id, code })])).toEqual({ 'Too many attempts': 1 })
})

test.each([
  ['one service', 2],
  ['two services', 1],
])(
  'the right code behind a burst of guesses through %s is too late: none is tested that is not counted',
  async (_of, step) => {
    const { post } = await start()
    for (const _ of times(3)) {
      const { otp_id, code } = await post(0, 'generate', {})
      const codes = times(200).map((at) => (at === 199 ? code : `guess ${at}`))
      const answers = await Promise.all(codes.map((code, at) => post(at * step, 'validate', { otp_id, code })))
      expect(countBy(answers)).toEqual({ 'Invalid code': 5, 'Too many attempts': 195 })
    }
  },
)

test('many codes of one session made at once: one of them passes', async () => {
  const { post } = await start()
  const made = await Promise.all(times(40).map((at) => post(at, 'generate', { session_id: 's' })))
  const answers = await Promise.all(made.map(({ otp_id, code }, at) => post(at, 'validate', { otp_id, code })))
  expect(countBy(answers)).toEqual({ true: 1, 'Invalid code': 39 })
})

test('guesses spread over ever new codes of a session are counted together', async () => {
  const { owner, post } = await start()
  for (const round of times(30)) {
    await post(round, 'generate', { session_id: 's' })
    await Promise.all(times(4).map((at) => post(at, 'validate', { session_id: 's', code: `guess ${at}` })))
  }
  const directory = await accountOf(owner)
  const { judged } = await first.app.platform.db
    .selectFrom('otps')
    .select((eb) => eb.fn.sum<number>('attempts').as('judged'))
    .where('directory_id', '=', directory.id)
    .executeTakeFirstOrThrow()
  // The last code may be guessed five times even if the nineteenth failure is already counted.
  expect(Number(judged)).toBeGreaterThanOrEqual(20)
  expect(Number(judged)).toBeLessThanOrEqual(24)
})

test('a sign-in code is claimed five times at most, and spent once', async () => {
  const { owner } = await start()
  const { platform } = first.app
  const directory = await accountOf(owner)
  const identity = Buffer.alloc(32, 7)
  const work: Work = { platform, directory, origin: systemOrigin(), db: platform.db }
  const settings = await otpSettings(work)
  const { otpId, code } = await inTx(work, (work) =>
    issueOtp(work, { purpose: 'login', userId: null, identity, settings }),
  )
  const attempt = { purpose: 'login' as const, otpId, code }
  const who = { address: { email: 'nobody@example.com', norm: 'nobody@example.com' }, hash: identity }
  const works = times(100).map((at): Work => {
    const own = apps[at % 2]?.platform ?? platform
    return { ...work, platform: own, db: own.db }
  })
  const claims = await Promise.all(works.map((one) => tryOtp(one, who, attempt)))
  expect(claims.filter(({ outcome }) => outcome === 'match').length).toBe(5)
  expect(claims.filter(({ outcome }) => outcome === 'exhausted').length).toBe(95)
  const spent = await Promise.all(works.map((one) => burn(one, codeProof({ otp_id: otpId, otp_purpose: 'login' }))))
  expect(spent.filter(Boolean).length).toBe(1)
})

function accountOf({ accountId, environmentId }: { accountId: string; environmentId: string }) {
  return accountDirectory(first.app.platform, { accountId, environmentId, environmentSlug: 'production' })
}
