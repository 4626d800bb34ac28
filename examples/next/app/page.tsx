import { auth } from '../lib/watchword'
import { signOut } from './login/actions'

export default async function Page() {
  const { user } = await auth.require()
  const { user: me, organization } = await user.me.get()
  return (
    <>
      <h1>{organization?.name}</h1>
      <p>
        You are signed in as <b>{me.displayName ?? me.email}</b>, with the role {me.role}.
      </p>
      <p>
        <a href="/members">Members</a>
      </p>
      <form action={signOut}>
        <button type="submit" className="quiet">
          Sign out
        </button>
      </form>
    </>
  )
}
