import { ScimLanguageError } from '../language/error.ts'
import { isObject, type ScimObject, type ScimValue } from '../language/json.ts'
import { checkSize } from '../language/normalise.ts'

export interface PatchOperation {
  op: 'add' | 'replace' | 'remove'
  /** Null if the value names the attributes. */
  path: string | null
  /** Undefined if the operation has none. */
  value: ScimValue | undefined
}

const MAX_OPERATIONS = 1_000

/** Reads the body of a PATCH (RFC 7644 §3.5.2). Throws ScimLanguageError (invalidSyntax, invalidValue, tooMany). */
export function readPatch(body: unknown): PatchOperation[] {
  const operations = isObject(body) ? ownInAnyCase(body, 'operations') : undefined
  if (!Array.isArray(operations) || operations.length === 0)
    throw new ScimLanguageError('invalidSyntax', 'A PATCH has "Operations", an array of at least one.')
  if (operations.length > MAX_OPERATIONS)
    throw new ScimLanguageError('tooMany', `A PATCH has at most ${MAX_OPERATIONS} operations.`)
  checkSize(operations)
  return operations.map(readOperation)
}

function readOperation(operation: ScimValue): PatchOperation {
  if (!isObject(operation)) throw new ScimLanguageError('invalidSyntax', 'An operation has to be an object.')
  const op = ownInAnyCase(operation, 'op')
  const path = ownInAnyCase(operation, 'path') ?? ''
  if (typeof path !== 'string') throw new ScimLanguageError('invalidPath', 'A path has to be a string.')
  return { op: readOp(op), path: path === '' ? null : path, value: ownInAnyCase(operation, 'value') }
}

/** Microsoft Entra capitalizes the operations. */
function readOp(op: ScimValue | undefined): PatchOperation['op'] {
  const word = typeof op === 'string' ? op.toLowerCase() : ''
  if (word === 'add' || word === 'replace' || word === 'remove') return word
  throw new ScimLanguageError('invalidSyntax', 'An operation has "op", which is add, replace or remove.')
}

function ownInAnyCase(object: ScimObject, name: string): ScimValue | undefined {
  return Object.entries(object).find(([key]) => key.toLowerCase() === name)?.[1]
}
