/** Why a session ended early: the `reason` of `session.revoked`, also in the revocation feed. */
export type EndReason = string & { readonly is: 'a reason for the end of sessions' }

const reasons = new Set<string>()

/**
 * Defines end reasons, in the feature folder that ends sessions for these reasons. Permanent, because verifiers read
 * them. Throws if a reason is taken.
 */
export function defineEndReasons<N extends string>(...names: N[]): Readonly<Record<N, EndReason>> {
  for (const name of names) {
    if (reasons.has(name)) throw new Error(`The reason ${name} is defined twice`)
    reasons.add(name)
  }
  return Object.fromEntries(names.map((name: string) => [name, name as EndReason])) as Record<N, EndReason>
}

/** Every end reason that a loaded module has defined. */
export function endReasons(): string[] {
  return [...reasons].sort()
}
