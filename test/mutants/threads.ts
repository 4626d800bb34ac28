import type { Mutant } from './mutant.ts'

const POOL = 'src/features/federation/xml/message-pool.ts'
const FLOOD_TEST = 'src/features/federation/saml/flood.test.ts'

/** What a message may take of the process. */
export const threads: Mutant[] = [
  {
    name: 'one directory has no more messages in work than its places',
    file: 'src/platform/limits/fair-queue.ts',
    find: '  if (lane.present <= queue.placesOfOne)\n',
    replace: '',
    tests: ['src/features/federation/xml/message-pool.test.ts', FLOOD_TEST],
  },
  {
    name: 'a message has its place before its state is used up',
    file: 'src/features/federation/saml/acs.ts',
    find: 'return withMessagePlace({ ...bare, directory: found.directory }, () => finishSolicited(bare, posted, found.state))',
    replace: 'return finishSolicited(bare, posted, found.state)',
    tests: [FLOOD_TEST],
  },
  {
    name: 'an unrequested message takes no place from a requested one',
    file: POOL,
    find: '{ id: `${directory.id} unsolicited` }',
    replace: 'directory',
    tests: [FLOOD_TEST],
  },
  {
    name: 'a message that waits for a thread holds no place of requests',
    file: POOL,
    find: 'return outOfPlace(() => withTurn(pool, directory, bytes, run))',
    replace: 'void outOfPlace\n    return withTurn(pool, directory, bytes, run)',
    tests: [FLOOD_TEST],
  },
  {
    name: 'a message that takes too long is ended',
    file: POOL,
    find: '() => limit.abort()',
    replace: '() => undefined',
    tests: ['src/features/federation/xml/message-pool.test.ts'],
    only: 'ten seconds',
  },
]
