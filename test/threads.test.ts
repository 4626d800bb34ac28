import { expect, test } from 'vitest'
import { readSources } from './source.ts'

const sources = readSources('src').filter((file) => !file.path.endsWith('.test.ts'))

test('messages of identity providers are parsed, verified and decrypted in threads alone', () => {
  const reads =
    /(?<!function )\b(readPosted|readQueried|parseMessage|readXml|readResponse|readAssertion|readNameId|verifySigned|decryptElement)\(|'@node-saml\/|'xml-crypto'/
  // A worker, what it calls, and nothing that the serving thread calls.
  const readers = [
    'src/features/descriptors/descriptor-worker.ts',
    'src/features/descriptors/idp-metadata.ts',
    'src/features/saml/assertion.ts',
    'src/features/saml/message-worker.ts',
    'src/features/saml/response.ts',
    'src/features/saml/signature.ts',
    'src/platform/xml/message.ts',
  ]
  expect(sources.filter((file) => reads.test(file.text)).map((file) => file.path)).toEqual(readers)
  const workers = sources.filter((file) => file.path.endsWith('-worker.ts')).map((file) => file.path)
  expect(workers).toHaveLength(3)
  const loads = (path: string) =>
    sources
      .filter((file) => file.imports.some(({ target, typeOnly }) => target === path && !typeOnly))
      .map((file) => file.path)
  for (const worker of workers) expect([worker, loads(worker)]).toEqual([worker, []])
  expect(loads('src/features/descriptors/idp-metadata.ts')).toEqual(['src/features/descriptors/descriptor-worker.ts'])
  expect(loads('src/features/saml/signature.ts').sort()).toEqual([
    'src/features/saml/message-worker.ts',
    'src/features/saml/response.ts',
  ])
})
