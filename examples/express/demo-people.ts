import { WatchwordError } from '@watchword/sdk'
import { watchword } from './watchword.ts'

// A person to try it with: ada@example.com, who belongs to two customers. Delete this file once you have users.
for (const name of ['Acme', 'Globex']) {
  try {
    const { subOrganization } = await watchword.organizations.create({ name, slug: `${name.toLowerCase()}-demo` })
    await watchword.users.create({ subOrgId: subOrganization.id, email: 'ada@example.com' })
  } catch (error) {
    if (!(error instanceof WatchwordError && error.code === 'slug_taken')) throw error
  }
}
