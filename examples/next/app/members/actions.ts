'use server'

import { revalidatePath } from 'next/cache'
import { auth, watchword } from '../../lib/watchword'

/** Gives a member of the organization another role. Only for the organization's administrators. */
export const changeRole = auth.action(async ({ claims, user }, form: FormData) => {
  // The role is read again, because it may have changed after the token was issued.
  const { user: me } = await user.me.get()
  if (me.role !== 'admin' || claims.org_id === null) throw new Error('Only administrators change roles.')
  // With this, the organization's audit log names the administrator.
  const actor = { id: me.id, name: me.displayName ?? me.email }
  const role = form.get('role') === 'admin' ? 'admin' : 'member'
  await watchword
    .forRequest(await auth.request(), { actor })
    .roles.setForUser(String(form.get('id')), { subOrgId: claims.org_id, role })
  revalidatePath('/members')
})
