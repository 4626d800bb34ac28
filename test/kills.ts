import { type Kill, killRepeatedly } from './process/kills.ts'
import { outsideTests } from './process/service.ts'

const say = (line: string) => process.stdout.write(`${line}\n`)
const kills = Number(process.argv[2] ?? 60)
if (!Number.isInteger(kills) || kills < 1) {
  say('Usage: node test/kills.ts [number of kills (60)]. Sixty take ten minutes.')
  process.exit(process.argv[2] === '--help' ? 0 : 1)
}

const done: Kill[] = []
await outsideTests(() =>
  killRepeatedly(kills, (kill) => {
    done.push(kill)
    const { number, victim, proofs, unanswered, sessions, seconds, violations } = kill
    const counts = `${proofs} proofs (${unanswered} unanswered), ${sessions} sessions`
    say(`${number}/${kills} ${victim}: ${counts}, ${seconds.toFixed(1)} s, ${violations.length} violations`)
    for (const violation of violations) say(`  ${violation}`)
  }),
)
const sum = (of: (kill: Kill) => number) => done.reduce((total, kill) => total + of(kill), 0)
const violations = sum((kill) => kill.violations.length)
say(
  `${kills} kills: ${sum(({ proofs }) => proofs)} codes, links and challenges, of which ` +
    `${sum(({ unanswered }) => unanswered)} were presented without an answer, and ${sum(({ sessions }) => sessions)} ` +
    `sessions acknowledged before a kill; ${violations} violations`,
)
process.exitCode = violations > 0 ? 1 : 0
