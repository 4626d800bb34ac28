import { findDeclarations, readSources, type SourceFile } from '../rules/source.ts'
import type { Mutant } from './mutant.ts'

/** The code that a row can name. */
export interface Tree {
  declarations: { path: string; file: SourceFile; start: number; end: number }[]
  tests: SourceFile[]
}

/** A file of the tree after one defense is removed. */
export interface Changed {
  file: string
  before: string
  after: string
  /** The test files that should notice, from the project's root. */
  tests: string[]
}

/** Reads the declarations of `src`, and all test files. */
export function readTree(): Tree {
  const sources = ['src', 'test'].flatMap(readSources)
  const isTest = ({ path }: SourceFile) => path.endsWith('.test.ts')
  const declarations = sources
    .filter((file) => file.path.startsWith('src/') && !isTest(file))
    .flatMap((file) =>
      findDeclarations(file).map(({ name, start, end }) => ({
        path: `${file.path.replace(/\.ts$/, '')}/${name}`,
        file,
        start,
        end,
      })),
    )
  return { declarations, tests: sources.filter(isTest) }
}

/**
 * Removes one defense.
 * @throws when the declaration or a test is missing or ambiguous, or the declaration does not contain the text exactly once
 */
export function removeDefense(tree: Tree, mutant: Mutant): Changed {
  const { path, file, start, end } = findOnly(tree.declarations, (entry) => entry.path, mutant.in)
  const count = file.text.slice(start, end).split(mutant.find).length - 1
  if (count !== 1) throw new Error(`${path} contains this text ${count} times, not once: ${mutant.find}`)
  const at = file.text.indexOf(mutant.find, start)
  const tests = mutant.tests.map((test) => findOnly(tree.tests, (entry) => entry.path, test))
  const { only } = mutant
  if (only !== undefined && !tests.some(({ text }) => text.includes(only)))
    throw new Error(`no test of ${mutant.tests.join(', ')} is named: ${only}`)
  return {
    file: file.path,
    before: file.text,
    after: file.text.slice(0, at) + mutant.replace + file.text.slice(at + mutant.find.length),
    tests: tests.map(({ path }) => path),
  }
}

/** Says what is wrong with a row, or null. */
export function complaintOf(tree: Tree, mutant: Mutant): string | null {
  try {
    removeDefense(tree, mutant)
    return null
  } catch (error) {
    return `“${mutant.name}”: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** The only entry whose path ends with a name. */
function findOnly<Entry>(entries: Entry[], pathOf: (entry: Entry) => string, name: string): Entry {
  const found = entries.filter((entry) => `/${pathOf(entry)}`.endsWith(`/${name}`))
  const [only] = found
  if (!only) throw new Error(`${name} does not exist. Was it renamed or removed?`)
  if (found.length > 1) throw new Error(`${name} is ambiguous. Write more of its path: ${found.map(pathOf).join(', ')}`)
  return only
}
