import { Watchword, WatchwordError } from '@watchword/sdk'

// People to try the application with. ada@example.com administers two customers. Delete this file once you have users.
const { WATCHWORD_URL: url = 'http://localhost:4000', WATCHWORD_KEY: apiKey } = process.env
if (!apiKey) throw new Error('Set WATCHWORD_KEY to an org-wide API key of Watchword.')
const watchword = new Watchword({ url, apiKey })

for (const [slug, name] of [
  ['acme-next', 'Acme'],
  ['globex-next', 'Globex'],
] as const) {
  try {
    const { subOrganization } = await watchword.organizations.create({ slug, name })
    const subOrgId = subOrganization.id
    await watchword.users.create({ subOrgId, email: 'ada@example.com', displayName: 'Ada', role: 'admin' })
    await watchword.users.create({ subOrgId, email: 'grace@example.com', displayName: 'Grace' })
  } catch (error) {
    if (!(error instanceof WatchwordError && error.code === 'slug_taken')) throw error
  }
}
