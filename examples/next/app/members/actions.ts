'use server'

import { revalidatePath } from 'next/cache'
import { auth, watchword } from '../../lib/watchword'

/** Gives a member of the organization another role. For its administrators. */
export const changeRole = auth.action(async ({ claims, user }, form: FormData) => {
  // Asked again: the token may be older than a change of the role.
  const { user: me } = await user.me.get()
  if (me.role !== 'admin' || claims.org_id === null) throw new Error('Only administrators change roles.')
  // The audit log of the organization then names the administrator.
  const actor = { id: me.id, name: me.displayName ?? me.email }
  const role = form.get('role') === 'admin' ? 'admin' : 'member'
  await watchword
    .forRequest(await auth.request(), { actor })
    .roles.setForUser(String(form.get('id')), { subOrgId: claims.org_id, role })
  revalidatePath('/members')
})
