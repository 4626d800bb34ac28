import { type Place, placesOf } from './exceptions.ts'
import { roomOf, type SourceFile } from './source.ts'

const WRITE =
  /(?:insertInto|updateTable|deleteFrom|mergeInto|defineRetention|defineSettings)\(\s*(?:\{\s*table: )?'(\w+)'|\b(?:insert into|delete from|merge into|update)\s+(\w+)\s+(?:\(|(?:as|set|where|using|select|values|returning|default|\w+ set)\s)|'(\w+_outbox)'/g
const QUOTED = /'(\w+)'/g

interface Owners {
  /** The owner of each table that the code writes: the folder of a feature, or a file. */
  owners: Map<string, string>
  /** What is wrong, each with what to write where. */
  complaints: string[]
}

/**
 * Finds the owner of each table: the one folder of a feature, or file outside of features, that writes it without a comment.
 * Every other statement that writes the table has the comment `// Foreign table <name>: <reason>.`
 */
export function findOwners(files: SourceFile[], tables: string[]): Owners {
  const places = placesOf(files, 'Foreign table').map((place) => touching(place, tables))
  const owners = new Map<string, string>()
  const complaints = places.flatMap(({ path, written, named, explanations }) =>
    explanations.flatMap(({ line, names, hasReason }) => [
      ...names
        .filter((name) => !written.has(name) && !(isOfPlatform(path) && named.has(name)))
        .map((name) => `${path}:${line}: nothing here touches ${name}, remove it from the comment`),
      ...(hasReason && names.length > 0 ? [] : [`${path}:${line}: name the table, and give the reason in a sentence`]),
    ]),
  )
  for (const table of tables) {
    const writing = places.filter(({ written }) => written.has(table))
    const owning = Map.groupBy(
      writing.filter(({ foreign }) => !foreign.has(table)),
      ({ path }) => ownerOf(path),
    )
    const [owner] = owning.keys()
    if (owner === undefined) {
      if (writing.length > 0) complaints.push(`${table}: each of its writers calls it foreign, so it has no owner`)
      continue
    }
    owners.set(table, owner)
    if (owning.size > 1) {
      const writers = [...owning].map(([room, own]) => `${room} (${own.map(linesOf).join(', ')})`)
      complaints.push(
        `${table}: written by ${writers.join(' and by ')}. One of them owns it, the others write "// Foreign table ${table}: <why this statement writes it>." above the statement`,
      )
    }
    for (const place of writing)
      if (owning.size === 1 && place.foreign.has(table) && ownerOf(place.path) === owner)
        complaints.push(`${linesOf(place)}: ${owner} owns ${table}, remove the comment`)
  }
  return { owners, complaints }
}

/**
 * Where the platform names a table that a feature owns, without a comment: `// Foreign table <name>: <reason>.`, or
 * `// Not a table <name>: <reason>.` for a word that is a table's name by chance.
 */
export function tablesNamedByPlatform(files: SourceFile[], tables: string[], owners: Map<string, string>): string[] {
  const inPlatform = files.filter(({ path }) => isOfPlatform(path))
  const words = placesOf(inPlatform, 'Not a table')
  return placesOf(inPlatform, 'Foreign table').flatMap((place, n) => {
    const { named, written, foreign, path } = touching(place, tables)
    const others = words[n]?.explanations ?? []
    const chance = new Set(others.flatMap(({ names }) => names))
    const isForeign = (name: string) => owners.get(name)?.startsWith('src/features/') === true
    return [
      ...[...named]
        .filter((name) => isForeign(name) && !foreign.has(name) && !chance.has(name))
        .map(
          (name) =>
            `${linesOf(place)}: the platform names ${name} of ${owners.get(name)}. Write "// Foreign table ${name}: <why the platform reads it>." above the statement`,
        ),
      ...[...foreign]
        .filter((name) => !written.has(name) && !isForeign(name))
        .map((name) => `${linesOf(place)}: no feature owns ${name}, remove it from the comment`),
      ...others
        .filter(({ names, hasReason }) => !hasReason || !names.every((name) => named.has(name) && isForeign(name)))
        .map(({ line }) => `${path}:${line}: remove this comment, or give the reason in a sentence`),
    ]
  })
}

/** The tables that a statement writes. */
export function writtenTables({ path, code }: Place, tables: string[]): string[] {
  // What becomes of the rows of a user is written by the feature that declares it.
  const isDeclaring = path.endsWith('/belongings.ts') && !isOfPlatform(path)
  return wordsOf(code, isDeclaring ? QUOTED : WRITE, tables)
}

function wordsOf(code: string, pattern: RegExp, tables: string[]): string[] {
  const words = [...code.matchAll(pattern)].flatMap((match) => match.slice(1))
  return [...new Set(words)].filter((word) => tables.includes(word))
}

function touching(place: Place, tables: string[]) {
  return {
    ...place,
    named: new Set(wordsOf(place.code, QUOTED, tables)),
    written: new Set(writtenTables(place, tables)),
    foreign: new Set(place.explanations.flatMap(({ names }) => names)),
  }
}

const isOfPlatform = (path: string) => path.startsWith('src/platform/')

function ownerOf(path: string): string {
  const room = roomOf(path)
  return room?.startsWith('src/features/') ? room : path
}

const linesOf = ({ path, line }: Place) => `${path}:${line}`
