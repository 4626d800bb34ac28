import { auth, watchword } from '../../lib/watchword'
import { changeRole } from './actions'

export default async function Page() {
  const { claims, user } = await auth.require()
  const { user: me, organization } = await user.me.get()
  const people = []
  // Uses the organization of the session, never one in the request.
  for await (const person of watchword.users.list({ subOrgId: claims.org_id ?? '', order: 'asc' })) people.push(person)
  return (
    <>
      <h1>Members of {organization?.name}</h1>
      <table>
        <thead>
          <tr>
            <th>Name</th>
            <th>Address</th>
            <th>Role</th>
          </tr>
        </thead>
        <tbody>
          {people.map(({ id, displayName, email, role }) => (
            <tr key={id}>
              <td>{displayName}</td>
              <td>{email}</td>
              <td>
                {me.role !== 'admin' || id === me.id ? (
                  role
                ) : (
                  <form action={changeRole}>
                    <input type="hidden" name="id" value={id} />
                    <select name="role" defaultValue={role} key={role} aria-label={`Role of ${email}`}>
                      <option>member</option>
                      <option>admin</option>
                    </select>
                    <button type="submit">Change</button>
                  </form>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        <a href="/">Home</a>
      </p>
    </>
  )
}
