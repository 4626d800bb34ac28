import { expect, test } from 'vitest'
import { failureOf, failureOfReply, readStatus } from './status.ts'

test.each([
  ['5.1.1', 'hard'],
  ['5.1.2', 'hard'],
  ['5.1.3', 'hard'],
  ['5.1.6', 'hard'],
  ['5.1.10', 'hard'],
  ['5.2.1', 'soft'],
  ['5.2.2', 'soft'],
  ['4.2.2', 'soft'],
  ['4.4.1', 'soft'],
  // Statuses about the sender, the message, a server or a policy.
  ['5.0.0', null],
  ['5.1.0', null],
  ['5.1.7', null],
  ['5.1.8', null],
  ['5.2.3', null],
  ['5.3.4', null],
  ['5.4.4', null],
  ['5.5.1', null],
  ['5.6.1', null],
  ['5.7.1', null],
  ['5.7.26', null],
  ['4.7.1', null],
  ['2.0.0', null],
])('status %s counts as %s', (status, failure) => {
  expect(failureOf(status)).toBe(failure)
})

test.each([
  ['550 5.1.1 <ada@example.com>: user unknown', 'hard', '5.1.1'],
  ['550-5.1.1 The email account that you tried to reach does not exist.\n550 5.1.1 Try again', 'hard', '5.1.1'],
  ['550 5.2.1 disabled', 'soft', '5.2.1'],
  ['550-5.2.1 The user you are trying to contact is receiving mail at a rate that prevents more.', 'soft', '5.2.1'],
  ['552 5.2.2 mailbox full', 'soft', '5.2.2'],
  ['550 No such user here', 'hard', null],
  ['550 Mailbox not found', 'hard', null],
  ['556 Domain does not accept mail', 'hard', null],
])('the reply %j counts as %s', (reply, failure, status) => {
  expect(failureOfReply(reply)).toEqual({ failure, status })
})

test.each([
  '550 relay not permitted',
  '550 5.7.1 Relaying denied',
  '550 5.7.26 Unauthenticated email from acme.com is not accepted due to domain DMARC policy',
  '550 5.7.1 No such user may send: unknown user',
  '550-Verification failed for <noreply@acme.com>\n550-No Such User Here\n550 Sender verify failed',
  '550 <login@acme.com>: Sender address rejected: User unknown in virtual alias table',
  '550 5.1.1 Callback to <login@acme.com> failed: user unknown',
  '550 Blocked: see https://blocklist.example',
  '552 message too large',
  '553 5.7.1 Sender address rejected: not owned by user',
  '554 5.7.1 Service unavailable; client host blocked',
  '535 5.7.8 Authentication failed',
  '450 4.2.1 Greylisted: no such user for now',
  '250 5.1.1 no such user',
  '',
  '5.1.1',
])('the reply %j says nothing about the address', (reply) => {
  expect(failureOfReply(reply)).toBeNull()
})

test.each([
  ['5.1.1 (bad destination mailbox address)', '5.1.1'],
  [' 5.1.10', '5.1.10'],
  ['5.1.1(no such user)', '5.1.1'],
  ['5.1', null],
  ['9.1.1', null],
  ['5.1.1111', null],
  ['', null],
])('%j has the status %s', (text, status) => {
  expect(readStatus(text)).toBe(status)
})
