declare const written: unique symbol

/**
 * SQL that is written in the source. Only this file makes it, from literals, so that no value of a request can become
 * part of a statement: using a `string` instead does not compile.
 */
export type SqlText = string & { readonly [written]: true }

/**
 * Writes SQL: `` sqlText`${users}.id = $1` ``. Inserts SQL and numbers, and nothing for null. Every other value must
 * be a parameter.
 */
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
