import { type Static, Type } from 'typebox'
import type { ListedSession, RevokedSession } from './store.ts'

const Nullable = (format?: string) => Type.Union([format ? Type.String({ format }) : Type.String(), Type.Null()])

export const Session = Type.Object({
  id: Type.String({ format: 'uuid' }),
  user_id: Type.String({ format: 'uuid' }),
  directory_user_id: Type.String({ format: 'uuid' }),
  sub_org_id: Nullable('uuid'),
  auth_method: Type.String(),
  amr: Type.Array(Type.String()),
  aal: Type.String(),
  ip_address: Nullable(),
  user_agent: Nullable(),
  status: Type.String(),
  impersonator: Type.Null(),
  created_at: Type.String({ format: 'date-time' }),
  last_active_at: Type.String({ format: 'date-time' }),
  expires_at: Type.String({ format: 'date-time' }),
})

export function toSession(row: ListedSession): Static<typeof Session> {
  return {
    id: row.id,
    user_id: row.auth_account_id,
    directory_user_id: row.user_id,
    sub_org_id: row.organization_id,
    auth_method: row.auth_method,
    amr: row.amr,
    aal: row.aal,
    ip_address: row.ip_address,
    user_agent: row.user_agent,
    status: 'active',
    impersonator: null,
    created_at: row.created_at.toISOString(),
    last_active_at: row.last_active_at.toISOString(),
    // Whichever end comes first.
    expires_at: new Date(Math.min(Number(row.idle_expires_at), Number(row.expires_at))).toISOString(),
  }
}

export const UserSessions = Type.Object({ user_id: Type.String({ format: 'uuid' }), sessions: Type.Array(Session) })

/** Groups sessions by user, users in the order of their first session on the page. */
export function groupByUser(rows: ListedSession[]): Static<typeof UserSessions>[] {
  const groups = Map.groupBy(rows.map(toSession), (session) => session.user_id)
  return [...groups].map(([user_id, sessions]) => ({ user_id, sessions }))
}

export const Revocation = Type.Object({
  session_id: Type.String({ format: 'uuid' }),
  user_id: Type.String({ format: 'uuid' }),
  directory_user_id: Type.String({ format: 'uuid' }),
  revoked_at: Type.String({ format: 'date-time' }),
  reason: Type.String(),
})

export function toRevocation(row: RevokedSession): Static<typeof Revocation> {
  return {
    session_id: row.id,
    user_id: row.auth_account_id,
    directory_user_id: row.user_id,
    revoked_at: row.revoked_at.toISOString(),
    reason: row.revoked_reason ?? 'revoked',
  }
}
