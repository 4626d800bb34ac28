import { type Bench, type Measurement, oncePerRun, type Row } from '../bench.ts'
import { readText } from '../json-field.ts'
import type { LoadRequest } from '../load.ts'
import {
  callOnce,
  createOrganization,
  createUsers,
  makeEmails,
  measureRequests,
  post,
  prepareMagicLinks,
} from './deployment.ts'
import { prepareIntrospections } from './login-rows.ts'
import { prepareValidations } from './otp-rows.ts'

const REQUESTS_PER_SECOND = 2000
const SIGN_INS_PER_SECOND = 500
const PAGES_PER_SECOND = 200

/** Latency at a given rate, of a process that has handled such requests for some seconds. */
export const rateRows: Row[] = [
  row('p99-otp-generate', `OTP generate at ${REQUESTS_PER_SECOND}/s`, 20, (bench) =>
    measureAt(bench, REQUESTS_PER_SECOND, [post('/v1/otp/generate', {})]),
  ),
  row('p99-otp-validate', `OTP validate at ${REQUESTS_PER_SECOND}/s`, 20, async (bench) => {
    const requests = await prepareValidations(bench, REQUESTS_PER_SECOND * bench.seconds)
    await bench.settle()
    return await measureAt(bench, REQUESTS_PER_SECOND, requests)
  }),
  row('p99-introspect', `token introspection at ${REQUESTS_PER_SECOND}/s`, 20, async (bench) =>
    measureAt(bench, REQUESTS_PER_SECOND, await prepareIntrospections(bench)),
  ),
  row(
    'p99-mixed',
    `${SIGN_INS_PER_SECOND} sign-ins by link a second, with as many codes, introspections and users by email`,
    50,
    measureMixed,
  ),
  row('p99-page', `the page of a sign-in link at ${PAGES_PER_SECOND}/s`, 30, async (bench) =>
    measureAt(bench, PAGES_PER_SECOND, [await getPage(bench)]),
  ),
]

function row(id: string, title: string, figure: number, measure: Row['measure']): Row {
  const targets: Row['targets'] = [{ of: null, on: 'p99Ms', bound: 'at most', figure }]
  return { id, title, kind: 'watchword', unit: '/s', targets, warmsUp: true, measure }
}

/** Sends the requests in turn at this rate. Reports a problem if the service does not keep up. */
async function measureAt(bench: Bench, ratePerSecond: number, requests: LoadRequest[]): Promise<Measurement> {
  const count = ratePerSecond * bench.seconds
  // Later than planned, so that the number of requests ends the measurement.
  const seconds = 2 * bench.seconds
  const measured = await measureRequests(bench, { requests, count, ratePerSecond, seconds })
  const isReached = measured.value >= 0.95 * ratePerSecond
  return isReached ? measured : { ...measured, problems: [...measured.problems, `less than ${ratePerSecond}/s`] }
}

const getOrganization = oncePerRun(createOrganization)

async function measureMixed(bench: Bench): Promise<Measurement> {
  const subOrgId = await getOrganization(bench)
  const links = await prepareMagicLinks(bench, subOrgId, SIGN_INS_PER_SECOND * bench.seconds)
  const introspections = await prepareIntrospections(bench)
  const requests = links.flatMap((link, n) => {
    const email: unknown = JSON.parse(link.body ?? '').email
    return [
      link,
      introspections[n % introspections.length] ?? link,
      post('/v1/otp/generate', {}),
      { method: 'GET', path: `/v1/users?subOrgId=${subOrgId}&email=${encodeURIComponent(String(email))}` },
    ]
  })
  return await measureAt(bench, 4 * SIGN_INS_PER_SECOND, requests)
}

/** The page that a mailed sign-in link opens. Opening it changes nothing. */
const getPage = oncePerRun(async (bench): Promise<LoadRequest> => {
  const subOrgId = await createOrganization(bench)
  const [email = ''] = makeEmails(1)
  await createUsers(bench, subOrgId, [{ email }])
  const send = post('/v1/auth/login/magic-link/send', { subOrgId, email, deliver: false })
  const { search } = new URL(readText(await callOnce(bench, send), 'url'))
  return { method: 'GET', path: `/auth/link${search}`, headers: { 'x-api-key': '' } }
})
