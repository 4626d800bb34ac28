import { callAsBackend, Refusal } from './watchword.ts'

// Somebody to try it with: ada@example.com, who belongs to two customers. Delete this file once you have people.
for (const [slug, name] of [
  ['acme-demo', 'Acme'],
  ['globex-demo', 'Globex'],
]) {
  try {
    const made = await callAsBackend<{ subOrganization: { id: string } }>('POST', '/organizations', { name, slug })
    await callAsBackend('POST', '/users', { subOrgId: made.subOrganization.id, email: 'ada@example.com' })
  } catch (error) {
    if (!(error instanceof Refusal && error.problem.code === 'slug_taken')) throw error
  }
}
