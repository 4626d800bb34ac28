import { newPasskey, type SoftwarePasskey } from '../../../test/people/authenticator.ts'
import { BASE, type Bench, type Measurement, oncePerRun, type Row } from '../bench.ts'
import { readText } from '../json-field.ts'
import { callAll, createOrganization, makeEmails, measureRequests, post } from './deployment.ts'

const PEOPLE = 256
const LOGINS_PER_ROUND = 3000
const RP_ID = 'bench.example'
const origin = `https://${RP_ID}`

/** A challenge consumed, a signature verified and a session created. */
export const passkeyRows: Row[] = [
  {
    id: 'passkey-verify',
    title: 'passkey verify → session',
    kind: 'watchword',
    unit: '/s',
    targets: [{ of: BASE, on: 'cpuUs', bound: 'at most', figure: null }],
    measure: measurePasskeyVerify,
  },
]

interface Holder {
  email: string
  passkey: SoftwarePasskey
}

/** People with a passkey of ES256 each, which is what most are. */
const getHolders = oncePerRun(async (bench): Promise<{ subOrgId: string; holders: Holder[] }> => {
  const subOrgId = await createOrganization(bench)
  const settings = {
    method: 'PATCH',
    path: '/v1/auth/passkey/settings',
    body: JSON.stringify({ subOrgId, rp_id: RP_ID }),
  }
  await callAll(bench, [settings])
  const emails = makeEmails(PEOPLE)
  const made = await callAll(
    bench,
    emails.map((email) => post('/v1/users', { email, subOrgId })),
  )
  const userIds = made.map((body) => readText(body, 'user.id'))
  const path = '/v1/auth/passkey/register'
  const started = await callAll(
    bench,
    userIds.map((userId) => post(path, { subOrgId, userId, action: 'options' })),
  )
  const holders = emails.map((email) => ({ email, passkey: newPasskey() }))
  const answers = holders.map(({ passkey }, n) => {
    const { options, challengeId } = JSON.parse(started[n] ?? '')
    const credential = passkey.make(options, { origin })
    return post(path, { subOrgId, userId: userIds[n], action: 'verify', challengeId, credential })
  })
  await callAll(bench, answers)
  return { subOrgId, holders }
})

async function measurePasskeyVerify(bench: Bench): Promise<Measurement> {
  const { subOrgId, holders } = await getHolders(bench)
  const logins = Array.from({ length: Math.ceil(LOGINS_PER_ROUND / PEOPLE) }, () => holders).flat()
  const started = await callAll(
    bench,
    logins.map(({ email }) => post('/v1/auth/login/passkey/options', { email, subOrgId })),
  )
  await bench.settle()
  const requests = logins.map(({ email, passkey }, n) => {
    const { options, challengeId } = JSON.parse(started[n] ?? '')
    return post('/v1/auth/login/passkey/verify', {
      email,
      subOrgId,
      challengeId,
      credential: passkey.use(options, { origin }),
    })
  })
  return await measureRequests(bench, { requests, mode: 'once', expect: '"access_token"' })
}
