import type { KnownConnection } from '../connections/known/known.ts'
import { type FederatedPerson, FederationFailure, NO_GROUPS } from '../federation/federation.ts'
import { partsOfName, readPerson } from '../saml-metadata/saml-metadata.ts'
import type { Assertion } from './assertion.ts'

/** Translates an assertion into the person for the end of the sign-in. Throws FederationFailure. */
export function toFederatedPerson(
  connection: KnownConnection,
  assertion: Assertion,
  spEntityId: string,
): { person: FederatedPerson; groups: readonly string[] | null; said: Record<string, unknown> } {
  const { groups, saysTwoFactor, subject, ...named } = readPerson(
    assertion,
    connection.attribute_mapping,
    connection.scim_match,
  )
  if (subject === null)
    throw new FederationFailure(
      'response_invalid',
      'The NameID is transient, or the attribute that is mapped as subject is missing: it would be another person each time.',
    )
  const { issuer, nameId, sessionIndex } = assertion
  const isTwoFactor = connection.trust_idp_mfa && saysTwoFactor
  return {
    // The organization trusts its own provider, so an address counts if the organization has proved its domain.
    person: {
      ...named,
      issuer,
      subject,
      emailVerified: true,
      amr: isTwoFactor ? ['mfa'] : [],
      isTwoFactor,
      sessionEndsAt: assertion.sessionEndsAt,
      logoutHint: JSON.stringify({ nameId, sessionIndex }),
      providerNames: { name: partsOfName(nameId, { idpEntityId: issuer, spEntityId }), session: sessionIndex },
    },
    groups,
    said: {
      ...(groups === null && Object.keys(connection.group_role_mapping).length > 0 ? { note: NO_GROUPS } : {}),
      issuer,
      name_id: nameId.value,
      name_id_format: nameId.format,
      authn_context: assertion.authnContext,
      attributes: Object.fromEntries(assertion.attributes),
    },
  }
}
