/** Why sessions end before their time: `reason` of `session.revoked`, and of the feed of revocations. */
export type EndReason = string & { readonly is: 'a reason for the end of sessions' }

const reasons = new Set<string>()

/** Defines reasons, once, where sessions end for them. Permanent: verifiers read them. Throws for one that is taken. */
export function defineEndReasons<N extends string>(...names: N[]): Readonly<Record<N, EndReason>> {
  for (const name of names) {
    if (reasons.has(name)) throw new Error(`The reason ${name} is defined twice`)
    reasons.add(name)
  }
  return Object.fromEntries(names.map((name: string) => [name, name as EndReason])) as Record<N, EndReason>
}

/** Every reason that any loaded module defines. */
export function endReasons(): string[] {
  return [...reasons].sort()
}
