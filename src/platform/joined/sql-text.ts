declare const written: unique symbol

/**
 * SQL that stands in the source. Only this file makes it, out of literals, so that no value of a request can become a part of
 * a statement: a `string` in its place does not compile.
 */
export type SqlText = string & { readonly [written]: true }

/** Writes SQL: `` sqlText`${users}.id = $1` ``. Takes SQL, numbers and null for nothing; every other value is a parameter. */
export function sqlText(parts: TemplateStringsArray, ...inserted: (SqlText | number | null | undefined)[]): SqlText {
  return toSqlText(String.raw({ raw: parts }, ...inserted.map((text) => text ?? '')))
}

/** Joins texts. */
export function joinText(texts: readonly SqlText[], separator: '' | ' ' | ', ' | ' and ' | ' union all '): SqlText {
  return toSqlText(texts.join(separator))
}

/** The name of a table or column. Throws for anything that PostgreSQL would have to quote. */
export function nameText(name: string): SqlText {
  if (!/^[a-z_][a-z0-9_]*$/.test(name)) throw new Error(`Not a name in SQL: ${name}`)
  return toSqlText(name)
}

const toSqlText = (text: string) => text as SqlText
