import fc from 'fast-check'

// PATCH of SCIM, told twice: as the operation that a client sends, and as what it does to a person of the simplest kind.

export interface ModelEmail {
  value?: string
  type?: string
  display?: string
  primary?: boolean
}
type Part = 'givenName' | 'familyName'
export interface ModelPerson {
  title?: string
  nickName?: string
  active?: boolean
  name: Partial<Record<Part, string>>
  department?: string
  emails: ModelEmail[]
}

/** What a client sends, and what becomes of the person, or why it is refused. */
export interface Step {
  operation: object
  apply(person: ModelPerson): 'noTarget' | 'invalidValue' | null
}

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User'

const words = fc.constantFrom('a', 'b', 'Ünï', '"q"', '\\', '漢 字')
const values: fc.Arbitrary<string> = fc.constantFrom('a@x.org', 'b@x.org', 'c@x.org')
const types = fc.constantFrom('work', 'home')
const setOps = fc.constantFrom('add', 'Add', 'replace', 'REPLACE')
const removeOps = fc.constantFrom('remove', 'Remove')
const quote = (text: string) => JSON.stringify(text)

/** A name as different clients spell it. */
const spelled = (name: string) =>
  fc.constantFrom(name, name.toUpperCase(), `${CORE}:${name}`, `${CORE.toLowerCase()}:${name}`)

/** An operation that sets, with its path or without. */
const setting = (path: fc.Arbitrary<string>, value: unknown): fc.Arbitrary<object> =>
  fc
    .tuple(path, setOps, fc.boolean())
    .map(([path, op, withPath]) => (withPath ? { op, path, value } : { op, value: { [path]: value } }))
const removing = (path: fc.Arbitrary<string>): fc.Arbitrary<object> =>
  fc.tuple(path, removeOps).map(([path, op]) => ({ op, path }))

const done = (change: (person: ModelPerson) => void) => (person: ModelPerson) => {
  change(person)
  return null
}

const singles = fc.constantFrom('title' as const, 'nickName' as const).chain((name) =>
  fc.oneof(
    words.chain((word) =>
      setting(spelled(name), word).map(
        (operation): Step => ({
          operation,
          apply: done((person) => {
            person[name] = word
          }),
        }),
      ),
    ),
    removing(spelled(name)).map(
      (operation): Step => ({
        operation,
        apply: done((person) => {
          delete person[name]
        }),
      }),
    ),
    spelled(name).map(
      (path): Step => ({
        operation: { op: 'replace', path, value: null },
        apply: done((person) => {
          delete person[name]
        }),
      }),
    ),
  ),
)

const activity = fc.tuple(fc.boolean(), fc.boolean()).chain(([active, asWord]) =>
  setting(spelled('active'), asWord ? (active ? 'True' : 'False') : active).map(
    (operation): Step => ({
      operation,
      apply: done((person) => {
        person.active = active
      }),
    }),
  ),
)

const names = fc.oneof(
  fc.tuple(fc.constantFrom<Part>('givenName', 'familyName'), words).chain(([part, word]) =>
    setting(spelled(`name.${part}`), word).map(
      (operation): Step => ({
        operation,
        apply: done((person) => {
          person.name[part] = word
        }),
      }),
    ),
  ),
  fc.constantFrom<Part>('givenName', 'familyName').chain((part) =>
    removing(spelled(`name.${part}`)).map(
      (operation): Step => ({
        operation,
        apply: done((person) => {
          delete person.name[part]
        }),
      }),
    ),
  ),
  words.chain((familyName) =>
    setting(spelled('name'), { familyName }).map(
      (operation): Step => ({
        operation,
        apply: done((person) => {
          person.name.familyName = familyName
        }),
      }),
    ),
  ),
  removing(spelled('name')).map(
    (operation): Step => ({
      operation,
      apply: done((person) => {
        person.name = {}
      }),
    }),
  ),
)

const departments = fc.oneof(
  words.chain((department) =>
    fc
      .oneof(
        setting(fc.constantFrom(`${ENTERPRISE}:department`, `${ENTERPRISE.toUpperCase()}:Department`), department),
        setting(fc.constant(ENTERPRISE), { department }),
      )
      .map(
        (operation): Step => ({
          operation,
          apply: done((person) => {
            person.department = department
          }),
        }),
      ),
  ),
  removing(fc.constantFrom(`${ENTERPRISE}:department`, ENTERPRISE)).map(
    (operation): Step => ({
      operation,
      apply: done((person) => {
        delete person.department
      }),
    }),
  ),
)

const emails: fc.Arbitrary<ModelEmail> = fc.record(
  { value: values, type: types, display: words, primary: fc.constant(true) },
  { requiredKeys: ['value'] },
)

function makePrimary(person: ModelPerson, chosen: ModelEmail): void {
  for (const email of person.emails) if (email !== chosen && email.primary) email.primary = false
}

function addEmail(person: ModelPerson, added: ModelEmail): void {
  const there = person.emails.find((email) => email.value === added.value && email.type === added.type)
  const email = Object.assign(there ?? {}, added)
  if (!there) person.emails.push(email)
  if (added.primary) makePrimary(person, email)
}

const additions = fc.tuple(emails, spelled('emails'), fc.boolean()).map(
  ([email, path, asList]): Step => ({
    operation: { op: 'add', path, value: asList ? [email] : email },
    apply: done((person) => addEmail(person, { ...email })),
  }),
)
const replacements = fc
  .uniqueArray(emails, { maxLength: 3, selector: (email) => email.primary ?? email.value })
  .chain((all) =>
    spelled('emails').map(
      (path): Step => ({
        operation: { op: 'replace', path, value: all },
        apply: done((person) => {
          person.emails = all.map((email) => ({ ...email }))
        }),
      }),
    ),
  )
const partsOfOneType = fc
  .tuple(types, fc.constantFrom('value' as const, 'display' as const), values)
  .chain(([type, part, value]) =>
    setting(
      spelled(`emails[type eq ${quote(type)}].${part}`).filter((path) => !path.startsWith('EMAILS')),
      value,
    ).map(
      (operation): Step => ({
        operation,
        apply: done((person) => {
          const found = person.emails.filter((email) => email.type === type)
          if (found.length === 0) person.emails.push({ type, [part]: value })
          for (const email of found) email[part] = value
        }),
      }),
    ),
  )
const primaries = values.map(
  (value): Step => ({
    operation: { op: 'replace', path: `emails[value eq ${quote(value)}].primary`, value: true },
    apply(person) {
      const found = person.emails.filter((email) => email.value === value)
      if (found.length > 1) return 'invalidValue'
      const email = found[0] ?? { value }
      if (!found[0]) person.emails.push(email)
      email.primary = true
      makePrimary(person, email)
      return null
    },
  }),
)
const selections = fc.tuple(types, values, removeOps).map(
  ([type, value, op]): Step => ({
    operation: { op, path: `emails[type eq ${quote(type)} and not (value eq ${quote(value)})]` },
    apply(person) {
      const left = person.emails.filter((email) => email.type !== type || email.value === value)
      const isFound = left.length < person.emails.length
      person.emails = left
      return isFound ? null : 'noTarget'
    },
  }),
)
const removals = fc.oneof(
  removing(spelled('emails')).map(
    (operation): Step => ({
      operation,
      apply: done((person) => {
        person.emails = []
      }),
    }),
  ),
  fc.tuple(fc.array(values, { maxLength: 2 }), removeOps).map(
    ([gone, op]): Step => ({
      operation: { op, path: 'emails', value: gone.map((value) => ({ value, $ref: null })) },
      apply: done((person) => {
        person.emails = person.emails.filter((email) => email.value === undefined || !gone.includes(email.value))
      }),
    }),
  ),
)

export const steps: fc.Arbitrary<Step> = fc.oneof(
  singles,
  activity,
  names,
  departments,
  additions,
  replacements,
  partsOfOneType,
  primaries,
  selections,
  removals,
)

/** A person in the words of SCIM. */
export function tellPerson(person: ModelPerson): object {
  const { name, emails, department, ...singles } = person
  return {
    ...singles,
    ...(Object.keys(name).length > 0 ? { name } : {}),
    ...(emails.length > 0 ? { emails } : {}),
    ...(department === undefined ? {} : { [ENTERPRISE]: { department } }),
  }
}
