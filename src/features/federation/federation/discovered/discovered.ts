import { type Static, Type } from 'typebox'
import { SOCIAL_NAMES } from '../../../../platform/config/config-social.ts'
import type { SealedPlace } from '../../../../platform/crypto/secret-box.ts'
import type { Redirect } from '../../../../platform/http/answer.ts'
import { newId } from '../../../../platform/ids.ts'
import { defineSlot } from '../../../../platform/platform.ts'
import type { Directory } from '../../../../platform/tenancy/directory.ts'
import { fits } from '../../../../platform/validator.ts'
import type { TxWork, Work } from '../../../../platform/work.ts'
import { assertProviderServed, type SessionReply } from '../../../access/login/login.ts'
import { type Begun, directoryOf, hashToken, makeToken } from '../begin/begin.ts'
import { federationErrors } from '../errors.ts'
import { type FederatedPerson, toStorable, trimmed } from '../person.ts'
import { redirectToApp } from '../redirect-to-app.ts'
import { consumePersonCode, findPersonCode, insertPersonCode } from './person-store.ts'

export { findLinkedUser, listLinkedUsers } from './person-store.ts'

const CODE_SECONDS = 60
const orNull = Type.Union([Type.String(), Type.Null()])

/** A person who has signed in at a social provider without an organization, and the application they used. */
export const DiscoveredPerson = Type.Object({
  source: Type.Enum([...SOCIAL_NAMES]),
  clientId: Type.String(),
  tenant: orNull,
  issuer: Type.String(),
  subject: Type.String(),
  sector: orNull,
  email: orNull,
  /** Whether the provider vouches for the address. */
  emailVerified: Type.Boolean(),
  displayName: orNull,
  firstName: orNull,
  lastName: orNull,
  locale: orNull,
  /** Whether an unknown person may sign up. Null: the organization's settings decide. */
  openSignup: Type.Union([Type.Boolean(), Type.Null()]),
})
export type DiscoveredPerson = Static<typeof DiscoveredPerson>

// Slot: discovery belongs to `front`, which may not be imported from here. `src/wiring` fills the slot.
/**
 * Returns the organizations of a person, with a token. `work` is in the environment's account-level directory.
 * `spend` uses up the code of the sign-in. Returns null if the code was already used.
 */
export const socialDiscovery =
  defineSlot<
    (work: Work, person: DiscoveredPerson, spend: (work: TxWork) => Promise<boolean>) => Promise<SessionReply | null>
  >('discovery by social login')

/** Redirects the browser to the application with a code that its backend exchanges for the person's organizations. */
export async function redirectWithPersonCode(
  work: Work,
  begun: Begun,
  heard: FederatedPerson,
  application: Pick<DiscoveredPerson, 'source' | 'clientId' | 'tenant'>,
): Promise<Redirect> {
  const person = toStorable(heard)
  const { issuer, subject, email, sector = null, emailVerified } = person
  const said = { issuer, subject, sector, email, emailVerified: emailVerified === true, ...trimmed(person) }
  const code = await keepPerson(work, { ...application, ...said, openSignup: begun.openSignup })
  return redirectToApp(work, begun, { code })
}

/** Stores a person until the returned code is exchanged. */
async function keepPerson({ platform, db, directory }: Work, person: DiscoveredPerson): Promise<string> {
  const [id, code] = [newId(), makeToken(platform.keyring, directory)]
  const person_sealed = await platform.keyring.seal(sealedPlaceOf(directory, id), JSON.stringify(person))
  const code_hash = hashToken(platform.keyring, 'code', code)
  await insertPersonCode(db, directory, { id, code_hash, source: person.source, person_sealed, seconds: CODE_SECONDS })
  return code
}

/**
 * Exchanges a code from `handBackPerson` for the person's organizations, once. `work` is in the environment's
 * account-level directory. Throws `code_invalid`, `service_disabled`.
 */
export async function exchangePersonCode(work: Work, code: string): Promise<SessionReply> {
  const { platform, db, directory } = work
  const isHere = (await directoryOf(work, code))?.id === directory.id
  const hash = hashToken(platform.keyring, 'code', code)
  const row = isHere ? await findPersonCode(db, directory, hash) : undefined
  if (!row) throw federationErrors.codeInvalid()
  await assertProviderServed(work, 'social')
  const said: unknown = JSON.parse(
    await platform.keyring.open(sealedPlaceOf(directory, row.id), row.person_sealed ?? ''),
  )
  if (!fits(DiscoveredPerson, said)) throw federationErrors.codeInvalid()
  const spend = ({ db }: TxWork) => consumePersonCode(db, directory, row.id)
  const answer = await socialDiscovery.of(platform)(work, said, spend)
  if (!answer) throw federationErrors.codeInvalid()
  return answer
}

function sealedPlaceOf({ accountId }: Directory, row: string): SealedPlace {
  return { table: 'exchange_codes', column: 'person_sealed', row, accountId }
}
