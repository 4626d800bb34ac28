import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { freshEmail } from '../fresh.ts'
import { startApp, until } from '../harness.ts'
import { succeeded } from '../people/factors.ts'
import { mailedCode, signIn } from '../people/sign-in.ts'
import { issuerOf } from './examples.ts'
import { guidePlace, snippetsOf } from './guide-place.ts'
import { takePort } from './service.ts'

// The programs of docs/getting-started.md, saved as it says, with the SDK that it builds.

const [, program = '', check = ''] = snippetsOf('docs/start/getting-started.md')
const app = await startApp({ port: await takePort() })
const tenant = await app.tenant()
const { options, save, run } = await guidePlace(app, tenant.key)
save('try.ts', program)
const subOrgId = await tenant.organization()

test('the program signs a user in, refreshes and signs out', async () => {
  const email = freshEmail('bea')
  const { user } = succeeded(await tenant.post('/v1/users', { subOrgId, email }))
  const running = spawn(process.execPath, ['try.ts', subOrgId, email], { ...options, stdio: 'pipe' })
  let said = ''
  for (const stream of [running.stdout, running.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  await until(async () => said.includes('mailed to'))
  running.stdin.end(`${await mailedCode(app, email)}\n`)
  await once(running, 'close')
  const lines = said.slice(said.indexOf('Signed in')).trim().split('\n')
  expect(lines).toEqual([`Signed in as ${user.id}`, 'Refreshed for 3600 seconds', 'Signed out: true'])
  expect(succeeded(await tenant.get(`/v1/sessions?subOrgId=${subOrgId}`)).users).toEqual([])
})

test('the check accepts a token of the organization alone', async () => {
  const email = freshEmail('bea')
  succeeded(await tenant.post('/v1/users', { subOrgId, email }))
  const token = (await signIn(app, tenant, subOrgId, email)).access_token
  const use = `const [, , token = '', ...organizations] = process.argv
for (const organization of organizations)
  console.log(await checkToken(token, organization).then(({ email }) => email, ({ code }) => code))\n`
  const code = check.replace('http://localhost:4000', await issuerOf(app, tenant))
  save('check.ts', code + use)
  const stdout = await run('check.ts', [token, subOrgId, await tenant.organization()])
  expect(stdout).toBe(`${email}\norganization_mismatch\n`)
})
