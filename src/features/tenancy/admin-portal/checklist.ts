import { defineSlot } from '../../../platform/platform.ts'
import type { Work } from '../../../platform/work.ts'

/** What an organization sets up, in this order. */
const LABELS = {
  branding: 'Set your name, logo and support address',
  domain: 'Prove a domain',
  sso: 'Connect your identity provider',
  scim: 'Provision users from your directory',
  mfa: 'Require a second factor',
  webhook: 'Send events to your systems',
}

export type StepId = keyof typeof LABELS
export const STEP_IDS = ['branding', 'domain', 'sso', 'scim', 'mfa', 'webhook'] as const satisfies StepId[]

/** Tells whether a step is done in a directory: provided by the features that know. A step of none is never done. */
export type SetupFacts = Partial<Record<StepId, (work: Work) => Promise<boolean>>>

// Slot: each noun knows whether its part is set up, and a register lists them.
export const setupFacts = defineSlot<SetupFacts>('what tells whether an organization is set up')

/** The steps, each with whether it is done. */
export async function readChecklist(work: Work, own: SetupFacts) {
  const facts: SetupFacts = { ...setupFacts.of(work.platform), ...own }
  return Promise.all(STEP_IDS.map(async (id) => ({ id, label: LABELS[id], done: (await facts[id]?.(work)) ?? false })))
}
