const find = (selector) => document.querySelector(selector)
const say = (text) => {
  find('[role=status]').textContent = text
}

/** Sends a request to the backend. Throws its refusal, with `code`. */
async function ask(method, path, body) {
  const reply = await fetch(path, {
    method,
    cache: 'no-store',
    headers: { 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const answer = await reply.json().catch(() => ({ detail: 'Please try again.' }))
  if (!reply.ok) throw Object.assign(new Error(answer.detail), answer)
  return answer
}
const post = (path, body) => ask('POST', path, body)

/** Shows an input field until `act` accepts what the person typed. */
function type(label, kind, act) {
  const form = find('#ask')
  const input = find('#answer')
  form.querySelector('label').textContent = label
  Object.assign(input, { type: kind, value: '' })
  form.hidden = false
  input.focus()
  return new Promise((resolve) => {
    form.onsubmit = async (event) => {
      event.preventDefault()
      try {
        const answer = await act(input.value)
        form.hidden = true
        say('')
        resolve(answer)
      } catch (error) {
        say(error.message)
      }
    }
  })
}

function choose(organizations) {
  const choice = find('#choice')
  choice.hidden = false
  return new Promise((resolve) => {
    find('#organizations').replaceChildren(
      ...organizations.map((organization) => {
        const [item, button] = [document.createElement('li'), document.createElement('button')]
        button.textContent = organization.name
        button.onclick = () => {
          choice.hidden = true
          resolve(organization)
        }
        item.append(button)
        return item
      }),
    )
  })
}

async function signIn() {
  const sent = await type('Your email address', 'email', (email) => post('/sign-in/code', { email }))
  const { organizations } = await type(`The two words mailed to ${sent.delivery_hint}`, 'text', (code) =>
    post('/sign-in/organizations', { code }),
  )
  if (organizations.length === 0) return say('No organization has added this address yet.')
  const { subOrgId, requires } = await choose(organizations)
  if (requires === 'sso')
    return say('Sign in at the identity provider of this organization: see docs/enterprise/sso.md.')
  const answer = await post('/sign-in', { subOrgId })
  if (answer.enroll)
    return say('This organization requires a second factor, which has to be set up: see docs/sign-in/mfa.md.')
  if (!answer.signedIn) await type('The code of your app', 'text', (code) => post('/sign-in/challenge', { code }))
  await showPerson()
}

async function showPerson() {
  const { user, organization } = await ask('GET', '/me')
  find('#who').textContent = user.email
  find('#where').textContent = organization.name
  find('#signed-in').hidden = false
}

/** Asks the person to verify again, with a passkey if they have one. */
async function stepUp(methods) {
  const method = methods.includes('passkey') ? 'passkey' : methods[0]
  if (method === 'sso') throw new Error('Sign in again.')
  const { options, challengeId, otp_id, challenge_token } = await post('/me/step-up', { method })
  if (options) {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
    const credential = (await navigator.credentials.get({ publicKey })).toJSON()
    return post('/me/step-up/verify', { challengeId, credential })
  }
  if (method === 'password')
    return type('Your password', 'password', (password) => post('/me/step-up/verify', { password }))
  return type('It is some time since you signed in. Your code', 'text', (code) =>
    post('/me/step-up/verify', { code, ...(otp_id ? { otp_id } : { challenge_token }) }),
  )
}

/** Runs an action that may require a recent step-up. */
async function withProof(act) {
  try {
    return await act()
  } catch (error) {
    if (error.code !== 'step_up_required') throw error
    await stepUp(error.methods)
    return act()
  }
}

async function addPasskey() {
  const { options, challengeId } = await withProof(() => post('/me/passkeys/options'))
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  const credential = (await navigator.credentials.create({ publicKey })).toJSON()
  await post('/me/passkeys/verify', { challengeId, credential })
  say('The passkey was added.')
}

async function changeAddress() {
  const email = await type('The new address', 'email', (typed) => typed)
  const sent = await withProof(() => post('/me/email', { email }))
  await type(`The two words mailed to ${sent.delivery_hint}`, 'text', (code) =>
    post('/me/email/verify', { email, otp_id: sent.otp_id, code }),
  )
  await showPerson()
  say('The address was changed.')
}

async function signOut() {
  await post('/sign-out')
  location.reload()
}

const report = (error) => say(error.message)
for (const [id, act] of [
  ['#add-passkey', addPasskey],
  ['#change-address', changeAddress],
  ['#sign-out', signOut],
])
  find(id).onclick = () => act().catch(report)

showPerson()
  .catch((error) => (error.code === 'not_signed_in' ? signIn() : report(error)))
  .catch(report)
