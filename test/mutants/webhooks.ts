import type { Mutant } from './mutant.ts'

const HOME = 'src/platform/webhooks'
const DELIVERIES_TEST = 'src/features/records/webhooks/deliveries.test.ts'
const WEBHOOKS_TEST = 'src/features/records/webhooks/webhooks.test.ts'
const OUTBOUND = 'src/platform/outbound'

/** What is sent to the servers of others: by whom it is, to whom it goes, and what these can do. */
export const webhooks: Mutant[] = [
  {
    name: 'a delivery is signed with its time',
    file: `${HOME}/signature.ts`,
    find: 'update(`${id}.${seconds}.${body}`)',
    replace: 'update(`${id}.${body}`)',
    tests: [DELIVERIES_TEST],
    only: 'arrives once',
  },
  {
    name: 'every copy of an event has its id',
    file: `${HOME}/attempt.ts`,
    find: 'id: `evt_${id}`',
    replace: 'id: `evt_${id}${now.getTime()}`',
    tests: [DELIVERIES_TEST],
    only: 'whole schedule',
  },
  {
    name: 'a webhook hears its own organization',
    file: `${HOME}/fan-out.ts`,
    find: 'own[0]?.is_wide || place.directoryId === directoryId',
    replace: 'place.directoryId !== null || directoryId',
    tests: [DELIVERIES_TEST],
    only: 'one of the environment',
  },
  {
    name: 'nothing is resent to a disabled webhook',
    file: 'src/features/records/webhooks/repeat.ts',
    find: 'if (!webhook.enabled) throw webhookErrors.disabled()\n    const id = deliveryId.toLowerCase()',
    replace: 'const id = deliveryId.toLowerCase()',
    tests: [DELIVERIES_TEST],
    only: 'resent or replayed',
  },
  {
    name: 'nothing is replayed to a disabled webhook',
    file: 'src/features/records/webhooks/repeat.ts',
    find: 'if (!webhook.enabled) throw webhookErrors.disabled()\n    const end =',
    replace: 'const end =',
    tests: [DELIVERIES_TEST],
    only: 'resent or replayed',
  },
  {
    name: 'nothing is sent to a webhook that was disabled meanwhile',
    file: `${HOME}/serve.ts`,
    find: "!work.enabled ? 'until woken' : isOn",
    replace: 'isOn',
    tests: [DELIVERIES_TEST],
    only: 'deleted or disabled',
  },
  {
    name: 'a receiver that is gone is asked no more',
    file: `${HOME}/attempt.ts`,
    find: 'isGone: answer.status === 410',
    replace: 'isGone: false',
    tests: [DELIVERIES_TEST],
    only: '410 disables',
  },
  {
    name: 'a receiver puts off a delivery by a day at most',
    file: `${HOME}/schedule.ts`,
    find: 'Math.min(retryAfterSeconds ?? 0, LONGEST_WISH)',
    replace: 'retryAfterSeconds ?? 0 * LONGEST_WISH',
    tests: [DELIVERIES_TEST],
    only: 'Retry-After',
  },
  {
    name: 'requests at the same time to one endpoint are bounded',
    file: `${HOME}/limits.ts`,
    find: 'export const CONCURRENCY = 4',
    replace: 'export const CONCURRENCY = 40',
    tests: [DELIVERIES_TEST],
    only: 'one that hangs',
  },
  {
    name: 'a webhook is https',
    file: 'src/features/records/webhooks/changes.ts',
    find: 'if (isPeerAddress(config, url)) {',
    replace: "if (isPeerAddress(config, url.replace('http:', 'https:'))) {",
    tests: [WEBHOOKS_TEST],
  },
  {
    name: 'a webhook leads to no private network',
    file: 'src/features/records/webhooks/changes.ts',
    find: 'if (leadsInside(config, url)) throw webhookErrors.urlNotAllowed()',
    replace: 'void leadsInside',
    tests: [WEBHOOKS_TEST],
  },
  {
    name: 'the secret of a webhook is shown once',
    file: `${HOME}/signature.ts`,
    find: "return `${PREFIX}…${secret.replace(/=+$/, '').slice(-4)}`",
    replace: 'return secret',
    tests: [WEBHOOKS_TEST],
    only: 'shown once',
  },
  {
    name: 'each attempt goes to an address that was checked for it',
    file: `${OUTBOUND}/http.ts`,
    find: 'const addresses = await unlessAborted(checkedAddresses(target, exceptions, resolve), signal)',
    replace:
      "const addresses = request.keepsFor ? [{ address: '127.0.0.1', family: 4 }] : await unlessAborted(checkedAddresses(target, exceptions, resolve), signal)",
    tests: [`${OUTBOUND}/connections.test.ts`],
  },
  {
    name: 'an open connection serves requests to its own addresses alone',
    file: `${OUTBOUND}/connections.ts`,
    find: ', ...addresses.map(({ address }) => address).sort()',
    replace: ', String(addresses.length)',
    tests: [`${OUTBOUND}/connections.test.ts`],
  },
  {
    name: 'an open connection serves its owner alone',
    file: `${OUTBOUND}/connections.ts`,
    find: '[owner, origin,',
    replace: '[owner.slice(0, 0), origin,',
    tests: [`${OUTBOUND}/connections.test.ts`],
  },
  {
    name: 'of an answer without end no more than allowed is read',
    file: `${OUTBOUND}/http.ts`,
    find: 'if (size > maxBytes) return { body: Buffer.concat(chunks).subarray(0, maxBytes), isWhole: false }',
    replace: '',
    tests: [`${OUTBOUND}/connections.test.ts`],
  },
  {
    name: 'a signature is not kept where deliveries are read',
    file: 'src/platform/webhooks/attempt.ts',
    find: "return signatures.replaceAll(/(v1,.{6})\\S*/g, '$1…')",
    replace: 'return signatures',
    tests: ['src/features/records/webhooks/deliveries.test.ts'],
  },
  {
    name: 'a webhook is not replayed without end',
    file: 'src/features/records/webhooks/repeat.ts',
    find: '  await countOf(work, text, REPLAYS)\n',
    replace: '',
    tests: ['src/features/records/webhooks/deliveries.test.ts'],
  },
  {
    name: 'a webhook is not tested without end',
    file: 'src/features/records/webhooks/repeat.ts',
    find: '  await countOf(work, text, TESTS)\n',
    replace: '',
    tests: ['src/features/records/webhooks/deliveries.test.ts'],
  },
]
