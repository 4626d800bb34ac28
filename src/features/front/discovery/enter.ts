import { type Identity, identify } from '../../../platform/crypto/identity.ts'
import type { UsedProof } from '../../../platform/joined/proofs.ts'
import { requireEmail } from '../../../platform/mail/address.ts'
import type { Work } from '../../../platform/work.ts'
import {
  assertMaySignIn,
  completeMailboxLogin,
  type SessionReply,
  type SignInFacts,
  type SignInMethod,
} from '../../access/login/login.ts'
import { ownsDomainOf } from '../../directory/domains/domains.ts'
import { proveGranted } from '../../sign-in/otp/sign-in-codes/sign-in-codes.ts'
import { signUpByCode } from '../../sign-in/signup/signup.ts'
import { enterByPasskey } from './by-passkey.ts'
import { enterBySocial } from './by-social.ts'
import { discoveryErrors } from './errors.ts'
import { assertOffered, discoveryMethods } from './methods.ts'
import { type Discovered, type DiscoveredMailbox, openToken } from './token.ts'

/**
 * Exchanges a token for a session in one of its organizations. A person who may join the organization becomes a user.
 * Throws `discovery_token_invalid`, `service_disabled`, `method_disabled`, `provider_disabled`,
 * `social_start_required`, `sso_required` with the connection to start, and what `completeLogin` throws.
 */
export async function enter(work: Work, token: string): Promise<SessionReply> {
  const said = await openToken(work.platform, work.directory, token)
  if (!said) throw discoveryErrors.tokenInvalid()
  const answer = await enterBy(work, said)
  if (!answer) throw discoveryErrors.tokenInvalid()
  return answer
}

function enterBy(work: Work, said: Discovered): Promise<SessionReply | null> {
  if (said.method === 'passkey') return enterByPasskey(work, said)
  return said.method === 'social' ? enterBySocial(work, said) : enterByMailbox(work, said)
}

async function enterByMailbox(work: Work, said: DiscoveredMailbox): Promise<SessionReply | null> {
  await assertOffered(work, said.method)
  const who = identify(work.platform, requireEmail(said.email))
  const proved = await proveGranted(work, who, said)
  return proved && enterOrSignUp(work, { who, method: discoveryMethods[said.method], ...proved })
}

interface Proved {
  who: Identity
  method: Pick<SignInMethod, 'id'>
  facts: SignInFacts | null
  spends: UsedProof[]
}

async function enterOrSignUp(work: Work, { who, method, facts, spends }: Proved): Promise<SessionReply | null> {
  if (facts) {
    await assertMaySignIn(work, facts)
    return completeMailboxLogin(work, facts, { method, amr: ['otp'], spends })
  }
  // The address no longer has a user here. If the organization has also lost the domain, the person needs a new
  // discovery.
  return (await ownsDomainOf(work, who.address.norm)) ? signUpByCode(work, who, { spends }, method) : null
}
