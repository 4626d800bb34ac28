import { defineSlot } from '../../../platform/platform.ts'
import type { Work } from '../../../platform/work.ts'

/** The setup steps of an organization, in this order. */
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

/**
 * Functions that tell whether a step is done in a directory. Features provide them. A step without a function is
 * never done.
 */
export type SetupFacts = Partial<Record<StepId, (work: Work) => Promise<boolean>>>

// Slot: each feature folder knows whether its part is set up. A list in `src/wiring` has all parts.
export const setupFacts = defineSlot<SetupFacts>('what tells whether an organization is set up')

/** All steps, each with whether it is done. */
export async function readChecklist(work: Work, own: SetupFacts) {
  const facts: SetupFacts = { ...setupFacts.of(work.platform), ...own }
  return Promise.all(STEP_IDS.map(async (id) => ({ id, label: LABELS[id], done: (await facts[id]?.(work)) ?? false })))
}
