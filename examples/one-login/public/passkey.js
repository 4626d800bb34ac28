// WebAuthn needs a script. A form sends its result to the server, as with everything else.

async function options(path) {
  const reply = await fetch(path, { method: 'POST', cache: 'no-store' })
  const answer = await reply.json()
  if (!reply.ok) throw Object.assign(new Error(answer.detail), answer)
  return answer
}

function submit(form, challengeId, credential) {
  form.elements.answer.value = JSON.stringify({ challengeId, credential: credential.toJSON() })
  form.submit()
}

/** Autofill: the browser offers this device's passkeys in the address field. */
async function offerPasskeys(form) {
  if (!(await globalThis.PublicKeyCredential?.isConditionalMediationAvailable?.())) return
  const { options: request, challengeId } = await options('/login/passkey/options')
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(request)
  submit(form, challengeId, await navigator.credentials.get({ publicKey, mediation: 'conditional' }))
}

async function addPasskey(form) {
  const { options: creation, challengeId } = await options('/passkeys/options')
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(creation)
  submit(form, challengeId, await navigator.credentials.create({ publicKey }))
}

const report = (error) => {
  const status = document.querySelector('[role=status]')
  if (status) status.textContent = error.message
  else console.warn(error)
}
const signInForm = document.querySelector('#passkey-sign-in')
if (signInForm) offerPasskeys(signInForm).catch(report)
const addForm = document.querySelector('#add-passkey')
addForm?.addEventListener('submit', (event) => {
  event.preventDefault()
  addPasskey(addForm).catch(report)
})
