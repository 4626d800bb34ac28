import { type Static, Type } from 'typebox'
import { described, named, nullable } from '../../../platform/schema.ts'
import { CHECK_ERRORS, recordOf } from './challenge.ts'
import type { DomainRow } from './store.ts'
import { unicodeOf } from './unicode.ts'

/** Per organization and environment. */
export const MAX_DOMAINS = 20

const Moment = nullable(Type.String({ format: 'date-time' }))

/** Why a check did not find the record. */
export const DomainError = named(
  'DomainError',
  Type.Enum([...CHECK_ERRORS], {
    description:
      '`txt_not_found`: no TXT record. `txt_mismatch`: only other TXT records. `dns_unavailable`: the DNS did not answer.',
  }),
)

export const Domain = named(
  'Domain',
  Type.Object(
    {
      id: Type.String({ format: 'uuid' }),
      domain: Type.String({ description: 'The domain name, in ASCII (IDNA).', examples: ['acme.com'] }),
      unicode: Object.assign(
        nullable(Type.String(), 'The Unicode form, if it differs and is not easily confused with another name.'),
        { examples: [null] },
      ),
      status: Type.Enum(['pending', 'verified', 'failed'], {
        description:
          '`failed`: the last check did not find the TXT record, or the record of a verified domain is gone.',
      }),
      verification: Type.Object(
        {
          type: Type.Enum(['dns_txt'], {
            description: 'How the domain is verified: always by a TXT record in the DNS.',
          }),
          name: Type.String({ description: 'Name of the TXT record.', examples: ['_watchword-challenge.acme.com'] }),
          value: Type.String({
            description: 'Text of the TXT record.',
            examples: ['watchword-verify=3yK0fWQm8Zr2VdT6bNcX1pLsGhJ4uEo9aRi7kHtYvMw'],
          }),
        },
        { description: 'The TXT record to set.' },
      ),
      verified_at: described(Moment, 'When the TXT record was first found. Null: not verified yet.'),
      last_checked_at: described(Moment, 'When the service last looked for the TXT record. Null: never.'),
      last_error: Object.assign(nullable(DomainError), { examples: [null] }),
    },
    { description: 'A domain of an organization, and whether it is verified.' },
  ),
)
export type Domain = Static<typeof Domain>

export function toDomain(row: DomainRow): Domain {
  return {
    id: row.id,
    domain: row.domain,
    unicode: unicodeOf(row.domain),
    status: row.status,
    verification: recordOf(row),
    verified_at: row.verified_at?.toISOString() ?? null,
    last_checked_at: row.last_checked_at?.toISOString() ?? null,
    last_error: row.last_error,
  }
}
