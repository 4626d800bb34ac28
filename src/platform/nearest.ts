const MAX_LENGTH = 40

/**
 * The known name that a mistyped name most resembles, or null. Names resemble each other if they differ in spelling
 * style (`otpId` for `otp_id`) or in up to two letters (one letter in short names).
 */
export function findNearest(name: string, known: readonly string[]): string | null {
  if (name.length > MAX_LENGTH) return null
  const spelt = plain(name)
  const most = spelt.length < 5 ? 1 : 2
  const near = known
    .filter((each) => Math.abs(plain(each).length - spelt.length) <= most)
    .map((each) => ({ each, distance: editDistance(plain(each), spelt) }))
    .filter(({ distance }) => distance <= most)
    .sort((a, b) => a.distance - b.distance)
  return near[0]?.each ?? null
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}

/** How many letters must be added, dropped, replaced, or swapped with a neighbour (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swapped = isSwapped ? (before[j - 2] ?? 0) + 1 : replaced
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, replaced, swapped))
    }
    before = row
    row = next
  }
  return row[b.length] ?? 0
}
