import { type Static, Type } from 'typebox'
import type { ServiceId } from '../../../contract/contract.ts'
import type { EventDefinition } from '../../../platform/events/events.ts'
import { defineSlot } from '../../../platform/platform.ts'
import { named, nullable, oneOf } from '../../../platform/schema.ts'
import { isServiceEnabled, requireService } from '../../../platform/tenancy/services.ts'
import type { TxWork, Work } from '../../../platform/work.ts'

const OfferedConnection = Type.Object({
  id: Type.String({
    description: 'Send it as `connectionId` to `POST /v1/auth/login/sso/start`.',
    format: 'uuid',
    examples: ['0198b6f2-6c40-7a51-8f3e-2b9d4c7a1e05'],
  }),
  name: Type.String({ description: 'The connection’s name, for the label of a button.', examples: ['Acme Okta'] }),
  protocol: Type.Enum(['saml', 'oidc'], {
    description: 'The protocol of the connection. A sign-in page can ignore it.',
  }),
})
type OfferedConnection = Static<typeof OfferedConnection>

interface HeldChange {
  write(work: TxWork, userId: string, hash: string): Promise<void>
  /** The events that `write` records. */
  events: EventDefinition[]
}

/** A sign-in method. Each method has its own feature folder, which defines it. */
export interface SignInMethod {
  /** Permanent, since rows store it as `auth_method` of sessions. Sessions from `otp_sms` have `otp`. */
  id: string
  /** How a sign-in page offers the method. Null if people cannot choose it there, such as an invitation. */
  offer: {
    label: string
    service: ServiceId
    isOn(work: Work): Promise<boolean>
    /** The providers of a method that has several, such as social login. */
    providers?(work: Work): Promise<string[]>
    /** The SSO connections of the organization. */
    connections?(work: Work): Promise<OfferedConnection[]>
  } | null
  /** Whether this user can step up with it in a session. Absent: no user can. Called only if the method is on. */
  stepsUp?(work: Work, userId: string): Promise<boolean>
  /**
   * Set if a sign-in with this method can change a secret. Writes the change after the user has passed the second
   * factor.
   */
  heldChange?: HeldChange
}

// Slot: sign-in methods belong to wings that may not be imported from here. A list in `src/wiring` defines their order.
/** All sign-in methods, in the order of a sign-in page. */
export const signInMethods = defineSlot<readonly SignInMethod[]>('the sign-in methods')

/** The ids of the methods that are on here and that the user can step up with. */
export async function methodsOfStepUp(work: Work, userId: string): Promise<string[]> {
  const found = []
  for (const { id, offer, stepsUp } of signInMethods.of(work.platform)) {
    if (!offer || !stepsUp || !(await isServiceEnabled(work, offer.service))) continue
    if ((await offer.isOn(work)) && (await stepsUp(work, userId))) found.push(id)
  }
  return found
}

/**
 * Writes the change of a secret that was held back until the user passed the second factor. Throws if the method has
 * no such changes.
 */
export async function writeHeldChange(work: TxWork, change: { method: string; userId: string; hash: string }) {
  const method = signInMethods.of(work.platform).find(({ id }) => id === change.method)
  if (!method?.heldChange) throw new Error(`A sign-in by ${change.method} changes no secret`)
  await method.heldChange.write(work, change.userId, change.hash)
}

/** One way to sign in, as a sign-in page offers it. */
export const LoginMethod = named(
  'LoginMethod',
  Type.Object(
    {
      id: oneOf(['password', 'otp', 'otp_sms', 'magic_link', 'passkey', 'social', 'sso'], {
        description: 'The method. `otp`: a mailed code, `otp_sms`: a code by text message.',
      }),
      label: Type.String({ description: 'A short English name for a button.' }),
      providers: nullable(
        Type.Array(Type.String()),
        'Only for `social`: the providers that are turned on, such as `google`. Otherwise null.',
      ),
      connections: nullable(Type.Array(OfferedConnection), 'For `sso`: connections for POST /v1/auth/login/sso/start.'),
    },
    {
      description: 'A sign-in method that currently works in the organization.',
      examples: [{ id: 'otp', label: 'Email code', providers: null, connections: null }],
    },
  ),
)

/**
 * Throws `service_disabled` if a sign-in at a provider continues with a code or a challenge, but the service has been
 * switched off since.
 */
export async function assertProviderServed(work: Work, method: string): Promise<void> {
  if (method === 'sso' || method === 'social') await requireService(work, method)
}

/** The sign-in methods available in this directory, in the order of a sign-in page. Empty while Auth is off. */
export async function listLoginMethods(work: Work): Promise<Static<typeof LoginMethod>[]> {
  const methods = []
  for (const { id, offer } of signInMethods.of(work.platform)) {
    if (offer && (await offer.isOn(work)) && (await isServiceEnabled(work, offer.service)))
      methods.push({
        id,
        label: offer.label,
        providers: (await offer.providers?.(work)) ?? null,
        connections: (await offer.connections?.(work)) ?? null,
      })
  }
  return methods
}
