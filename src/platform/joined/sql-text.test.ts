import { expect, expectTypeOf, test } from 'vitest'
import { joinText, nameText, type SqlText, sqlText } from './sql-text.ts'

test('SQL is made of literals, SQL and numbers, and no other text is SQL', () => {
  const id = sqlText`${nameText('users')}.id`
  expect(sqlText`select ${id} from ${nameText('users')} where ${id} = $${1}`).toBe(
    'select users.id from users where users.id = $1',
  )
  expect(joinText([id, sqlText`null`], ', ')).toBe('users.id, null')
  expect(joinText([sqlText`a `, sqlText`b${null}`], '')).toBe('a b')
  expectTypeOf<string>().not.toExtend<SqlText>()
  const given: string = "' or true --"
  // @ts-expect-error A value of a request must be a parameter.
  sqlText`select from users where email = '${given}'`
  // @ts-expect-error A composed text is not SQL text either.
  joinText([`${id} = '${given}'`], '')
  // @ts-expect-error Nor is a separator from outside.
  joinText([id], given)
  // @ts-expect-error A list of strings is not a template literal.
  sqlText([given])
})

test.each(['users; drop table users', 'Users', '"users"', 'users.id', 'email_norm\n', '1a', ''])(
  'is no name: %j',
  (name) => {
    expect(() => nameText(name)).toThrow('Not a name in SQL')
  },
)
