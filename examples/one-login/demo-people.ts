import { callAsBackend, Refusal } from './watchword.ts'

// People to try it with: ada@example.com administers two customers. Delete this file once you have people.
// The product has no passwords: people sign in by code, passkey or single sign-on, and accept invitations by the link alone.
await callAsBackend('PATCH', '/auth/settings/defaults', { email_password_enabled: false })
for (const [slug, name] of [
  ['acme-one', 'Acme'],
  ['globex-one', 'Globex'],
]) {
  try {
    const made = await callAsBackend<{ subOrganization: { id: string } }>('POST', '/organizations', { name, slug })
    const ada = { email: 'ada@example.com', displayName: 'Ada Lovelace', role: 'admin' }
    await callAsBackend('POST', '/users', { subOrgId: made.subOrganization.id, ...ada })
  } catch (error) {
    if (!(error instanceof Refusal && error.problem.code === 'slug_taken')) throw error
  }
}
