import type { IncomingHttpHeaders } from 'node:http'
import type { Pool } from 'pg'
import { newId } from '../../../src/platform/ids.ts'
import { Refusal } from './joined.ts'
import type { KeyedHash } from './keyed-hash.ts'

export interface Directory {
  id: string
  account_id: string
  environment_id: string
  environment_slug: string
  organization_id: string | null
}

export interface Caller {
  keyId: string
  /** Of the account itself. */
  directory: Directory
  organizations: Map<string, Directory>
}

/** Knows the caller of an API key by its keyed hash. Throws `Refusal`. */
export async function readCallers(
  pool: Pool,
  keyedHash: KeyedHash,
  apiKey: string,
): Promise<(headers: IncomingHttpHeaders) => Caller> {
  const { rows } = await pool.query<Directory>(
    `select directories.id, directories.account_id, environment_id, environments.slug as environment_slug,
       directories.organization_id
     from directories join environments on environments.id = environment_id
       join accounts on accounts.id = directories.account_id
     where accounts.home and environments.slug = 'production' and kind in ('organization', 'account')`,
  )
  const directory = rows.find(({ organization_id }) => organization_id === null)
  if (!directory) throw new Error('The database has no home account')
  const organizations = new Map(rows.map((row) => [row.organization_id ?? '', row]))
  const callers = new Map<string, Caller>([
    [keyedHash('api-key', apiKey), { keyId: newId(), directory, organizations }],
  ])
  return (headers) => {
    const caller = callers.get(keyedHash('api-key', String(headers['x-api-key'])))
    if (!caller) throw new Refusal(401, 'No such key')
    return caller
  }
}

/** Throws `Refusal`. */
export function directoryOf(caller: Caller, organizationId: string): Directory {
  const directory = caller.organizations.get(organizationId)
  if (!directory) throw new Refusal(404, 'No such organization')
  return directory
}
