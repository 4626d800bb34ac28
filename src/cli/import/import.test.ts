import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { startApp } from '../../../test/harness.ts'
import { runCommand, settingsOf } from '../../../test/process/cli.ts'
import { snapshot } from '../../../test/snapshot.ts'

const service = await startApp()
const env = settingsOf(service)
const tenant = await service.tenant()
const subOrgId = await tenant.organization()
const home = mkdtempSync(join(tmpdir(), 'watchword-import-'))
afterAll(() => rmSync(home, { recursive: true }))

const at = (name: string) => join(home, name)
const write = (name: string, content: string | Buffer) => {
  writeFileSync(at(name), content)
  return at(name)
}
const importUsers = (...args: string[]) =>
  runCommand(env, 'import', 'users', ...args, '--org', subOrgId, '--account', tenant.accountId)

test('what cannot be imported is refused in words, and changes nothing', { timeout: 90_000 }, async () => {
  const firebase = fileURLToPath(new URL('../../../test/fixtures/import/firebase.json', import.meta.url))
  const people = write('people.csv', 'email\na@example.com\n')
  const calls: [args: string[], code: number, line: RegExp][] = [
    [[at('nowhere.csv')], 1, /^There is no file .*nowhere\.csv\.$/],
    [[home], 1, /is not a file: name the file of users itself\.$/],
    [[write('empty.csv', ' \n')], 1, /is empty\.$/],
    [
      [write('people.xlsx', Buffer.from('PK\u0003\u0004rest'))],
      1,
      /is an Excel workbook or a ZIP archive: save the sheet/,
    ],
    [[write('people.gz', gzipSync('email\n'))], 1, /is compressed: unpack it with gunzip\.$/],
    [[write('utf16.csv', Buffer.from('\ufeffemail\n', 'utf16le'))], 1, /is written in UTF-16: save it in UTF-8\.$/],
    [
      [write('latin.csv', Buffer.from('email,name\na@example.com,J\xf6rg\n', 'latin1'))],
      1,
      /is not in UTF-8\. Convert it/,
    ],
    [[write('page.html', '<html>')], 1, /looks like XML or HTML: export CSV or JSON\.$/],
    [[write('list.json', '[]')], 1, /has no readable user\.$/],
    [
      [write('half.json', '{"users": [{"localId": "a", ')],
      1,
      /^The file ends in the middle, in line 1: it is truncated\.$/,
    ],
    [
      [write('none.json', '{\n"realm": "acme"}')],
      1,
      /^The file has no list of users: it must be one, or have one named/,
    ],
    [[write('open.csv', 'email\n"a@example.com\n')], 1, /^The CSV cannot be read from here on: Quote Not Closed/],
    [
      [write('other.csv', 'Mehl;Name\na;b\n')],
      2,
      /^No column name stands for email addresses; the file has “Mehl”, “Name”\. Name the column: --map/,
    ],
    [[people, '--map', 'Mail=email'], 2, /^--map names the column Mail; the file has “email”\.$/],
    [[people, '--map', 'email=e-mail'], 2, /^--map is email=e-mail: use column=field with a field of email, /],
    [[people, '--hash-type', 'md5'], 2, /^--hash-type is md5: use one of bcrypt, /],
    [
      [people, '--format', 'excel'],
      2,
      /^error: option '--format <format>' argument 'excel' is invalid\. Allowed choices/,
    ],
    [[people, '--format', 'ndjson'], 2, /^The file is not NDJSON: omit --format, or use csv\.$/],
    [[people, '--report', people], 2, /^The file, its report and its checkpoint must be three different files/],
    [
      [people, '--checkpoint', join(home, 'no', 'where')],
      1,
      /cannot be written \(ENOENT\): name another file with --checkpoint/,
    ],
    [[people, '--env', 'nowhere'], 1, /^There is no environment nowhere: use one of /],
    [
      [firebase, '--report', at('r'), '--checkpoint', at('c')],
      2,
      /^The file has passwords, which work only with the hash parameters/,
    ],
  ]
  const before = await snapshot(service)
  const results = []
  while (results.length < calls.length) {
    const next = calls.slice(results.length, results.length + 4)
    results.push(...(await Promise.all(next.map(([args]) => importUsers(...args)))))
  }
  for (const [n, [args, code, line]] of calls.entries()) {
    const result = results[n] ?? { code: null, stdout: '', stderr: '' }
    const errors = result.stderr.split('\n').filter((each) => each && !/^(Importing|\(add)/.test(each))
    expect([args, result.code, result.stdout, errors]).toEqual([args, code, '', [expect.stringMatching(line)]])
  }
  const nobody = await runCommand(env, 'import', 'users', people, '--org', 'nobody', '--account', tenant.accountId)
  expect([nobody.code, nobody.stderr]).toEqual([1, expect.stringMatching(/^There is no organization nobody: /)])
  expect(await snapshot(service)).toEqual(before)
})

test('a dry run says what an import would do, and writes the report alone', async () => {
  await tenant.post('/v1/users', { subOrgId, email: 'here@example.com' })
  const path = write(
    'dry.csv',
    [
      'email,phone,passwordHash',
      ...Array.from({ length: 600 }, (_, n) => `dry${n}@example.com,,`),
      ...[
        'here@example.com,,',
        'DRY0@example.com,,',
        'new@example.com,none,',
        '=cmd@example.com,,',
        'hash@example.com,,$2b$',
      ],
    ].join('\n'),
  )
  const report = at('dry.report.csv')
  const before = await snapshot(service)
  const dry = await importUsers(path, '--dry-run', '--report', report)
  expect(await snapshot(service)).toEqual(before)
  expect(existsSync(`${path}.checkpoint.json`)).toBe(false)
  expect([dry.code, dry.stderr]).toEqual([3, `Checking ${path}, read as csv, into ${subOrgId} (production).\n`])
  expect(dry.stdout.replace(/in \d+\.\d s/, 'in 0.0 s').split('\n')).toEqual([
    `Checked 605 rows into ${subOrgId} (production) in 0.0 s.`,
    '  would be created                    601',
    '  already existed                       1',
    '  duplicate in the file                 1',
    '  failed                                2',
    '    invalid_field:phone                 1',
    '    invalid_field:passwordHash          1',
    `Every row that was not imported completely is in ${report}.`,
    '',
  ])
  const text = readFileSync(report, 'utf8')
  expect(text.split('\n')).toEqual([
    'line,email,outcome,code,reason,record,id,organization',
    '602,here@example.com,skipped,already_exists,A user already has this address.,601,,',
    '603,DRY0@example.com,skipped,duplicate_in_file,The same address as in line 2.,602,,',
    expect.stringMatching(/^604,new@example\.com,failed,invalid_field:phone,"The phone number needs .*",603,,$/),
    expect.stringMatching(
      /^606,hash@example\.com,failed,invalid_field:passwordHash,"The password hash does not match .*",605,,$/,
    ),
    '',
  ])
  const real = await importUsers(path, '--report', report, '--json')
  expect(real.json).toMatchObject({ created: 601, existed: 1, duplicates: 1, failed: 2 })
  expect(readFileSync(report, 'utf8')).toBe(text)
  const events = (await service.events({ accountId: tenant.accountId, type: 'user.created' })).slice(-601)
  expect(new Set(events.map((event) => `${event.actor_type} ${event.request_id}`))).toEqual(
    new Set([`cli ${real.json.importId}`]),
  )
})

test('columns that are no field are left out, which scripts are told as well', async () => {
  const rows = 'E-Mail,Shoe size,Team,firstName\nkay@example.com,38,red,Kay\n'
  const path = write('columns.csv', rows)
  const line = 'Ignored columns: Shoe size, Team. Import them with --map.\n'
  const { code, json, stderr } = await importUsers(path, '--json')
  expect([code, json]).toMatchObject([0, { created: 1, ignoredColumns: ['Shoe size', 'Team'] }])
  expect(stderr).toContain(line)
  const { users } = (await tenant.get(`/v1/users?subOrgId=${subOrgId}&email=kay@example.com`)).body
  expect(users).toMatchObject([{ firstName: 'Kay', metadata: {} }])
  const map = ['--map', 'Team=metadata.team', '--map', 'Shoe size=metadata.size']
  const mapped = await importUsers(path, '--dry-run', '--json', ...map)
  expect([mapped.json.ignoredColumns, mapped.stderr.includes('Ignored')]).toEqual([[], false])
  const lines = write('columns.ndjson', '{"email":"lee@example.com","team":"red"}\n')
  expect((await importUsers(lines, '--dry-run', '--json')).json).toMatchObject({ created: 1, ignoredColumns: ['team'] })
})

test('passwords can be left behind, all of them or those that cannot come over', async () => {
  const path = write(
    'left.csv',
    'email,passwordHash,passwordHashType\nl1@example.com,$2b$,bcrypt\nl2@example.com,x,md5\n',
  )
  const strict = await importUsers(path, '--dry-run', '--json')
  expect([strict.code, strict.json.failed]).toEqual([3, 2])
  const dropped = await importUsers(path, '--dry-run', '--drop-unreadable-hashes', '--json')
  expect([dropped.code, dropped.json]).toEqual([0, expect.objectContaining({ created: 2, withoutPassword: 2 })])
  const none = await importUsers(path, '--without-passwords', '--json')
  expect([none.code, none.json]).toEqual([0, expect.objectContaining({ created: 2, withoutPassword: 0, report: null })])
})
