import { WatchwordError } from '@watchword/sdk'
import { watchword } from './watchword.ts'

// People to try it with. ada@example.com administers two customers. Delete this file once you have users.
// This product has no passwords: people sign in with a code, a passkey or single sign-on, and the link alone accepts
// an invitation.
await watchword.auth.updateDefaults({ email_password_enabled: false })
for (const name of ['Acme', 'Globex']) {
  try {
    const { subOrganization } = await watchword.organizations.create({ name, slug: `${name.toLowerCase()}-one` })
    const ada = { email: 'ada@example.com', displayName: 'Ada Lovelace', role: 'admin' } as const
    await watchword.users.create({ subOrgId: subOrganization.id, ...ada })
  } catch (error) {
    if (!(error instanceof WatchwordError && error.code === 'slug_taken')) throw error
  }
}
