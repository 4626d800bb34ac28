import { expect, test } from 'vitest'
import { type Kill, killRepeatedly } from './kills.ts'

// Each of the three kinds three times. `node test/kills.ts 60` tries more.
const KILLS = 9

test(`${KILLS} kills under load lose nothing acknowledged and accept nothing twice`, { timeout: 600_000 }, async () => {
  const kills: Kill[] = []
  await killRepeatedly(KILLS, (kill) => kills.push(kill))
  expect(
    kills.flatMap(({ number, victim, violations }) => violations.map((text) => `${number} (${victim}): ${text}`)),
  ).toEqual([])
  expect(kills).toHaveLength(KILLS)
  expect(kills.some(({ sessions }) => sessions > 0)).toBe(true)
})
