'use client'

import { useActionState } from 'react'
import type { Choice, Step } from '../../lib/sign-in'
import { signIn } from './actions'

/** The sign-in. Each step is a form that also works without scripts. */
export function Steps({ first }: { first: Step }) {
  const [step, act, isPending] = useActionState(signIn, first)
  return (
    <form action={act} aria-busy={isPending}>
      <h1>{TITLES[step.name]}</h1>
      {step.problem ? <p role="alert">{step.problem}</p> : null}
      <Fields step={step} />
      {step.name === 'address' ? null : (
        <p>
          <a href="/login">Use another address</a>
        </p>
      )}
    </form>
  )
}

const TITLES: Record<Step['name'], string> = {
  address: 'Sign in',
  sso: 'Single sign-on',
  code: 'Check your mail',
  organizations: 'Choose an organization',
  factor: 'Second factor',
}

function Fields({ step }: { step: Step }) {
  if (step.name === 'address')
    return (
      <>
        <label htmlFor="email">Work email</label>
        <input key="email" id="email" name="email" type="email" autoComplete="username" required />
        <Button intent="address">Continue</Button>
      </>
    )
  if (step.name === 'code')
    return (
      <>
        <p>
          We have sent a code of two words to <b>{step.email}</b>.
        </p>
        <label htmlFor="code">Code</label>
        <input key="code" id="code" name="code" autoComplete="one-time-code" autoCapitalize="none" />
        <Button intent="verify">Sign in</Button>
        <Button intent="code" isQuiet>
          Send a new code
        </Button>
      </>
    )
  if (step.name === 'factor')
    return (
      <>
        <label htmlFor="code">Code of your authenticator app, or a backup code</label>
        <input key="factor" id="code" name="code" autoComplete="one-time-code" required />
        <Button intent="factor">Continue</Button>
      </>
    )
  if (step.name === 'sso')
    return (
      <>
        <p>
          {step.isRequired ? 'Your organization requires its own sign-in.' : 'Your organization has its own sign-in.'}
        </p>
        <Choices choices={step.choices} />
        {step.isRequired ? <p>Do you also belong to another organization? A code opens that one.</p> : null}
        <Button intent="code" isQuiet>
          Mail me a code instead
        </Button>
      </>
    )
  return step.choices.length > 0 ? (
    <Choices choices={step.choices} />
  ) : (
    <p>No organization has added your address. Ask for an invitation.</p>
  )
}

function Choices({ choices }: { choices: Choice[] }) {
  return choices.map(({ subOrgId, name, needsSso, connectionId }) => {
    if (needsSso && connectionId === null)
      return <p key={subOrgId}>{name} requires single sign-on with an address of its own.</p>
    const intent = needsSso ? `sso ${subOrgId} ${connectionId}` : `enter ${subOrgId}`
    return (
      <Button key={intent} intent={intent}>
        {name} {needsSso ? <small>single sign-on</small> : null}
      </Button>
    )
  })
}

function Button({ intent, isQuiet, children }: { intent: string; isQuiet?: boolean; children: React.ReactNode }) {
  return (
    <button type="submit" name="intent" value={intent} className={isQuiet ? 'quiet' : undefined}>
      {children}
    </button>
  )
}
