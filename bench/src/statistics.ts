/** The value at `fraction` of an ascending list; 0 of an empty one. */
export function percentile(ascending: number[], fraction: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * fraction))] ?? 0
}

/** The middle of a list; null of an empty one. */
export function median(values: number[]): number | null {
  if (values.length === 0) return null
  const ascending = [...values].sort((a, b) => a - b)
  const upper = ascending[Math.floor(ascending.length / 2)] ?? 0
  const lower = ascending[Math.floor((ascending.length - 1) / 2)] ?? 0
  return (lower + upper) / 2
}
