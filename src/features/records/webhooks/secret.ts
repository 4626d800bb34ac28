import type { Platform } from '../../../platform/platform.ts'

/** The webhook that a secret is bound to. */
interface Owner {
  accountId: string
  id: string
}

const place = ({ accountId, id }: Owner) => ({ table: 'webhooks', column: 'secret_sealed', row: id, accountId })

export const sealSecret = ({ keyring }: Platform, owner: Owner, secret: string) => keyring.seal(place(owner), secret)
export const openSecret = ({ keyring }: Platform, owner: Owner, sealed: string) => keyring.open(place(owner), sealed)
