import { operationsOf } from '../../src/platform/openapi/document-operations.ts'
import { partOf } from '../../src/platform/openapi/document-parts.ts'
import { emitClient } from './emit-client.ts'
import { emitErrors, emitSchemas } from './emit-types.ts'

/** The generated modules of the SDK, by file name, from the text of openapi.json. */
export function emitSdk(openapi: string): Record<'schemas.gen.ts' | 'errors.gen.ts' | 'client.gen.ts', string> {
  const document = partOf(JSON.parse(openapi))
  const operations = operationsOf(document)
  return {
    'schemas.gen.ts': emitSchemas(document, operations),
    'errors.gen.ts': emitErrors(document),
    'client.gen.ts': emitClient(document, operations),
  }
}
