import { createHash } from 'node:crypto'
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** How many of the files, the longest or largest, are spread like those of `test/process`. */
const HEAVY_SHARE = 1 / 6
/** Within how much of the run they begin, so that no core is left alone with one of them in the end. */
const SPREAD_OVER = 0.8

/**
 * The order of the files: long ones spend most of their time on waiting, those of `test/process` for processes of their own,
 * so they are spread over those that keep a core busy. Each kind is in an order that is the same in every run, and by chance.
 */
export class WaitingBetween extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const nameOf = ({ moduleId }: TestSpecification) => relative(this.ctx.config.root, moduleId)
    const place = (file: TestSpecification) => createHash('sha1').update(nameOf(file)).digest('hex')
    const shuffled = (some: TestSpecification[]) => some.toSorted((a, b) => (place(a) < place(b) ? -1 : 1))
    const isWaiting = (file: TestSpecification) => nameOf(file).startsWith('test/process/')
    const others = sorted.filter((file) => !isWaiting(file))
    const heavyCount = Math.floor(others.length * HEAVY_SHARE)
    const heavy = shuffled([...sorted.filter(isWaiting), ...others.slice(0, heavyCount)])
    const light = shuffled(others.slice(heavyCount))
    const every = (light.length * SPREAD_OVER) / Math.max(1, heavy.length)
    return heavy
      .flatMap((file, n) => [file, ...light.slice(Math.floor(n * every), Math.floor((n + 1) * every))])
      .concat(light.slice(Math.floor(heavy.length * every)))
  }
}
