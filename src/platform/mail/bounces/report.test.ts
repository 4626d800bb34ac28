import fc from 'fast-check'
import { expect, test } from 'vitest'
import { complaint, deliveryStatus } from '../../../../test/people/bounces.ts'
import { readReport } from './report.ts'

const messageId = '<a.b.c@acme.example>'
const to = 'Ada@Example.com'

async function recipients(message: string) {
  const report = await readReport(message)
  return report?.recipients.map(({ addresses, kind, status }) => [addresses.map(({ norm }) => norm), kind, status])
}

test('reads recipient, status and Message-ID of a delivery status notification', async () => {
  expect(await readReport(deliveryStatus({ to, messageId }))).toMatchObject({
    messageId,
    recipients: [{ addresses: [{ norm: 'ada@example.com' }], kind: 'hard', status: '5.1.1' }],
  })
})

test.each([
  ['a delay', { action: 'delayed', status: '4.4.1' }, null, '4.4.1'],
  ['a delivery', { action: 'delivered', status: '2.0.0' }, null, '2.0.0'],
  ['a refusal because of the sender', { status: '5.7.1' }, null, '5.7.1'],
  ['a full mailbox', { status: '5.2.2' }, 'soft', '5.2.2'],
  ['a host that was silent for days', { status: '4.4.1' }, 'soft', '4.4.1'],
  ['a status that only the next server has', { status: '5.0.0', diagnostic: '550 5.1.1 unknown' }, 'hard', '5.1.1'],
  ['an unspecific status', { status: '5.0.0', diagnostic: '550 blocked' }, null, '5.0.0'],
  ['an unreadable status', { status: 'bad' }, null, null],
])('%s', async (_, options, kind, status) => {
  expect(await recipients(deliveryStatus({ to, messageId, ...options }))).toEqual([[['ada@example.com'], kind, status]])
})

test('the address as mailed comes before the one it was forwarded to', async () => {
  const message = deliveryStatus({ to: 'new@other.example', originalRecipient: to, messageId })
  expect(await recipients(message)).toEqual([[['ada@example.com', 'new@other.example'], 'hard', '5.1.1']])
})

test('every recipient is read, folded lines and encodings too, and at most fifty', async () => {
  const group = (n: number) =>
    `Final-Recipient: rfc822;\r\n  p${n}@example.com\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n`
  const fields = ['Reporting-MTA: dns; mx.example\r\n\r\n', ...Array.from({ length: 60 }, (_, n) => group(n))].join('')
  const message = [
    'Content-Type: multipart/report; boundary=x\r\n\r\n--x',
    'Content-Type: message/delivery-status\r\nContent-Transfer-Encoding: base64\r\n',
    Buffer.from(fields).toString('base64'),
    '--x--\r\n',
  ].join('\r\n')
  const found = await recipients(message)
  expect(found?.length).toBe(50)
  expect(found?.[1]).toEqual([['p1@example.com'], 'hard', '5.1.1'])
})

test('reads complaints, by the recipients they name or those of the mail', async () => {
  expect(await recipients(complaint({ to, messageId }))).toEqual([[['ada@example.com'], 'complaint', null]])
  const named = ['bob@example.com', 'eve@example.com']
  expect(await recipients(complaint({ to, messageId, named }))).toEqual([
    [['bob@example.com'], 'complaint', null],
    [['eve@example.com'], 'complaint', null],
  ])
  expect(await recipients(complaint({ to, messageId, type: 'not-spam' }))).toEqual([[['ada@example.com'], null, null]])
})

test.each([
  ['an empty text', ''],
  ['an out-of-office reply', 'Subject: Away\r\nContent-Type: text/plain\r\n\r\nStatus: 5.1.1'],
  ['a mail that quotes a report', `Content-Type: text/plain\r\n\r\n${deliveryStatus({ to, messageId })}`],
  ['a report inside a mail', `Content-Type: message/rfc822\r\n\r\n${deliveryStatus({ to, messageId })}`],
  ['a report without its part', 'Content-Type: multipart/report; boundary=x\r\n\r\n--x--'],
  ['a receipt', deliveryStatus({ to, messageId }).replaceAll('delivery-status', 'disposition-notification')],
  ['nesting without end', nested(40)],
  ['lines without end', `${deliveryStatus({ to, messageId })}${'\r\n'.repeat(4000)}`],
  ['headers without end', `Content-Type: multipart/report; boundary=x\r\n${'X: y\r\n'.repeat(20_000)}`],
])('%s is no report', async (_, message) => {
  expect(await readReport(message)).toBeNull()
})

function nested(depth: number): string {
  const open = (n: number) => `Content-Type: multipart/mixed; boundary="b${n}"\r\n\r\n--b${n}\r\n`
  const parts = Array.from({ length: depth }, (_, n) => open(n)).join('')
  return `Content-Type: multipart/report; boundary="r"\r\n\r\n--r\r\n${parts}Content-Type: message/delivery-status\r\n\r\nA: b`
}

const piece = fc.oneof(
  fc.constantFrom(
    'Content-Type: multipart/report; boundary=x\r\n',
    'Content-Type: message/delivery-status\r\n',
    'Content-Type: message/feedback-report; charset=utf-7\r\n',
    'Content-Type: message/rfc822\r\n',
    'Content-Transfer-Encoding: quoted-printable\r\n',
    'Content-Transfer-Encoding: base64\r\n',
    'Final-Recipient: rfc822; a@b.example\r\n',
    'Original-Recipient: rfc822;=?utf-8?q?a=40b?=@c.example\r\n',
    'Feedback-Type: abuse\r\n',
    'Action: failed\r\n',
    'Status: 5.1.1\r\n',
    '--x\r\n',
    '--x--\r\n',
    '\r\n',
    '\n',
    ' ',
    ':',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
)

test('whatever is sent is read or refused, and never throws', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async (pieces) => {
      const report = await readReport(`Content-Type: multipart/report; boundary=x\r\n\r\n${pieces.join('')}`)
      for (const { addresses } of report?.recipients ?? [])
        for (const { norm } of addresses) expect(norm).toMatch(/^[^@\s]+@[^@\s]+$/)
    }),
    { numRuns: 500 },
  )
})
