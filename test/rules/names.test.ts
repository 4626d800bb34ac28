import { type TSchema, Type } from 'typebox'
import { expect, test } from 'vitest'
import { compileValidator } from '../../src/platform/http/validate.ts'
import { isName } from '../../src/platform/schema.ts'
import { routes } from '../../src/wiring/routes.ts'

/** What would begin another line, or turn the text that stands around it. */
const UNRULY = [
  'a\nb',
  'a\r\nBcc: b',
  'a\u2028b',
  'a\u0000b',
  'a\u0085b',
  '\u202etxt.exe',
  '\u200fa',
  'a\u2066b',
  '\u061ca',
]
const UNSEEN = [' ', '\u00a0\u3000', '\u200b', '\u2060', '\u3164', '\u2800', '\u00ad', '\ufeff']
const ORDERLY = ['Ada', '株式会社', 'شرکت نمونه', 'Ünïque & Söhne']
// What senders of mails are called has none.
const JOINED = ['می\u200cخواهم', '👩\u200d💻 Co']

/** Those that something else is done with: what directories say is cleaned, and the other two name nothing that people see. */
const OTHERS = /\/scim\/v2\/|attribute_mapping|appGroups/

/** Every name in the bodies of requests, with where it is. */
function namesIn(schema: TSchema, at: string): [at: string, schema: TSchema][] {
  const inner = ['items', 'anyOf'].flatMap((key): TSchema[] => Reflect.get(schema, key) ?? [])
  const own: [string, TSchema][] = Object.entries<TSchema>(Reflect.get(schema, 'properties') ?? {})
  return [
    ...inner.flatMap((each) => namesIn(each, at)),
    ...own.flatMap(([key, value]): [string, TSchema][] => [
      ...(/name$/i.test(key) ? ([[`${at} ${key}`, value]] as [string, TSchema][]) : []),
      ...namesIn(value, `${at} ${key}`),
    ]),
  ]
}

const names = routes
  .flatMap(({ method, path, body }) => (body ? namesIn(body, `${method} ${path}`) : []))
  .filter(([at]) => !OTHERS.test(at))

test('a name is one line, wherever a request has one', () => {
  expect(names.length).toBeGreaterThan(40)
  const takes = (schema: TSchema, value: string) => {
    try {
      compileValidator(Type.Object({ value: schema }), 'body')({ value })
      return true
    } catch {
      return false
    }
  }
  const wrong = names.flatMap(([at, schema]) => [
    ...UNRULY.filter((text) => takes(schema, text)).map((text) => [at, 'takes', text]),
    ...ORDERLY.filter((text) => !takes(schema, text)).map((text) => [at, 'refuses', text]),
  ])
  expect(wrong).toEqual([])
})

test('so are those of the command line, which say something', () => {
  expect([...UNRULY, ...UNSEEN, '', 'x'.repeat(201)].filter(isName)).toEqual([])
  expect([...ORDERLY, ...JOINED, ' a ', 'x'.repeat(200)].filter((text) => !isName(text))).toEqual([])
})
