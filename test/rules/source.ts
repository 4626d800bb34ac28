import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAst } from 'vitest/node'

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface SourceFile {
  /** From the project's root. */
  path: string
  text: string
  lines: number
  imports: Import[]
}

export interface Import {
  /** A path from the project's root, or the name of a package. */
  target: string
  typeOnly: boolean
}

const IMPORT =
  /(?:^|\n)\s*(?:import|export)(\s+type)?\s[^'";]*?\sfrom\s+'([^']+)'|\bimport\('([^']+)'\)|(?:^|\n)import\s+'([^']+)'/g

/** Every TypeScript file below a folder, without those of installed packages. */
export function readSources(folder: string): SourceFile[] {
  return listPaths(folder)
    .map(readSource)
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

function listPaths(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !path.includes('node_modules/'))
}

const withFiles = new Set(listPaths('src').map((path) => dirname(path)))

/**
 * The folder of the feature that a file is of, or `src/platform`; null for the files that wire everything. A feature is the
 * outermost folder below `src/features` that has files of its own, however many folders it lies in.
 */
export function roomOf(path: string): string | null {
  if (path.startsWith('src/platform/')) return 'src/platform'
  const [src, features, ...inner] = dirname(path).split('/')
  if (src !== 'src' || features !== 'features') return null
  const outer = inner.map((_, depth) => ['src/features', ...inner.slice(0, depth + 1)].join('/'))
  return outer.find((folder) => withFiles.has(folder)) ?? outer[0] ?? null
}

/** Whether a file is a test, or is there for tests. */
export function isForTests(path: string): boolean {
  return /^test\/|\.test\.ts$|^src\/features\/.+\/sample\.ts$/.test(path)
}

/** The name of the feature that a file is of; null for other files. */
export function featureOf(path: string): string | null {
  const room = roomOf(path)
  return room?.startsWith('src/features/') ? basename(room) : null
}

function readSource(path: string): SourceFile {
  const text = readFileSync(join(root, path), 'utf8')
  const imports = [...text.matchAll(IMPORT)].map((match) => {
    const name = match[2] ?? match[3] ?? match[4] ?? ''
    return {
      target: name.startsWith('.') ? normalize(join(dirname(path), name)) : name,
      typeOnly: match[1] !== undefined,
    }
  })
  return { path, text, lines: text.split('\n').length - 1, imports }
}

export interface Statement {
  line: number
  text: string
}

const statements = new WeakMap<SourceFile, Statement[]>()

/** The statements at the top level of a file, each with the comments above it. */
export function topLevelStatements(file: SourceFile): Statement[] {
  const known = statements.get(file)
  if (known) return known
  const ends = parseAst(file.text, { lang: 'ts' }).body.map(({ end }) => end)
  const found = ends.map((end, n) => {
    const own = file.text.slice(ends[n - 1] ?? 0, end)
    const text = own.trimStart()
    return { line: file.text.slice(0, end - text.length).split('\n').length, text }
  })
  statements.set(file, found)
  return found
}

/** The text without the comments that have lines of their own, of which the ends are left. */
export function withoutComments(text: string): string {
  return text.replaceAll(/^\s*\/\*\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, (lines) => lines.replaceAll(/[^\n]/g, ''))
}

export interface MeasuredFunction {
  line: number
  /** With the functions inside. */
  lines: number
  /** Without them. */
  ownLines: number
}

/** Every function of a file. */
export function measureFunctions(source: SourceFile): MeasuredFunction[] {
  const breaks = [...source.text.matchAll(/\n/g)].map((match) => match.index)
  const lineAt = (offset: number) => breaks.filter((at) => at < offset).length + 1
  const found: MeasuredFunction[] = []
  /** Lines of the functions below a node. */
  const visit = (node: unknown): number => {
    if (typeof node !== 'object' || node === null) return 0
    const inner = Object.values(node).reduce<number>((sum, child) => sum + visit(child), 0)
    if (!/Function/.test(String(Reflect.get(node, 'type'))) || !('start' in node) || !('end' in node)) return inner
    const line = lineAt(Number(node.start))
    const lines = lineAt(Number(node.end)) - line + 1
    found.push({ line, lines, ownLines: lines - inner })
    return lines
  }
  visit(parseAst(source.text, { lang: 'ts' }))
  return found
}

/** The names that a file exports, types included. */
export function exportedNames({ text }: SourceFile): string[] {
  return parseAst(text, { lang: 'ts' }).body.flatMap((statement) => {
    if (statement.type !== 'ExportNamedDeclaration') return statement.type === 'ExportAllDeclaration' ? ['*'] : []
    const { declaration, specifiers } = statement
    if (!declaration) return specifiers.map(({ exported }) => nameOf(exported))
    return declaration.type === 'VariableDeclaration'
      ? declaration.declarations.map(({ id }) => nameOf(id))
      : [nameOf(Reflect.get(declaration, 'id'))]
  })
}

const nameOf = (node: unknown) => (typeof node === 'object' && node ? String(Reflect.get(node, 'name')) : '')

/** What a file of a noun exports although it is of another noun: `<path> exports <name> of <file>`. */
export function reExports({ path, text }: SourceFile): string[] {
  const { body } = parseAst(text, { lang: 'ts' })
  const roomOfImport = (source: string) => roomOf(normalize(join(dirname(path), source)))
  const isForeign = (source: string) =>
    source.startsWith('.') &&
    /^src\/features\//.test(roomOfImport(source) ?? '') &&
    roomOfImport(source) !== roomOf(path)
  const foreign = new Map<string, string>()
  for (const statement of body)
    if (statement.type === 'ImportDeclaration' && isForeign(statement.source.value))
      for (const { local } of statement.specifiers) foreign.set(local.name, statement.source.value)
  return body.flatMap((statement) => {
    if (statement.type === 'ExportAllDeclaration')
      return isForeign(statement.source.value) ? [`${path} exports * of ${statement.source.value}`] : []
    if (statement.type !== 'ExportNamedDeclaration') return []
    const { source, specifiers, declaration } = statement
    const listed = specifiers.map(({ local }) => nameOf(local))
    // Under another name, or the same one, without anything added.
    const renamed =
      declaration?.type === 'VariableDeclaration'
        ? declaration.declarations.flatMap(({ init }) => (init?.type === 'Identifier' ? [init.name] : []))
        : []
    const from = (name: string) => (source ? (isForeign(source.value) ? source.value : undefined) : foreign.get(name))
    return [...listed, ...renamed].flatMap((name) => (from(name) ? [`${path} exports ${name} of ${from(name)}`] : []))
  })
}

export interface Declaration {
  name: string
  /** Offsets in the text of its file. */
  start: number
  end: number
}

/** The functions and other values that a file declares at its top, exported or not. */
export function findDeclarations({ text }: SourceFile): Declaration[] {
  return parseAst(text, { lang: 'ts' }).body.flatMap((statement) => {
    const { start, end } = statement
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    const ids =
      declared?.type === 'VariableDeclaration'
        ? declared.declarations.map(({ id }) => id)
        : declared?.type === 'FunctionDeclaration'
          ? [declared.id]
          : []
    return ids.flatMap((id) => (id?.type === 'Identifier' ? [{ name: id.name, start, end }] : []))
  })
}

export interface CrowdedFunction {
  /** Of the function, or of what it is assigned to; empty where there is none. */
  name: string
  parameters: number
}

/** Functions of a file, and types of functions, with more positional parameters than allowed. */
export function crowdedFunctions(source: SourceFile, ceiling: number): CrowdedFunction[] {
  const found: CrowdedFunction[] = []
  const visit = (node: unknown, given: string): void => {
    if (typeof node !== 'object' || node === null) return
    const own: unknown = Reflect.get(node, 'id') ?? Reflect.get(node, 'key')
    const name = typeof own === 'object' && own !== null ? String(Reflect.get(own, 'name') ?? given) : given
    const parameters: unknown = Reflect.get(node, 'params')
    const isFunction = /Function|MethodSignature/.test(String(Reflect.get(node, 'type')))
    if (isFunction && Array.isArray(parameters) && parameters.length > ceiling)
      found.push({ name, parameters: parameters.length })
    for (const child of Object.values(node)) visit(child, Array.isArray(node) ? given : name)
  }
  visit(parseAst(source.text, { lang: 'ts' }), '')
  return found
}
