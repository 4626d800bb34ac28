import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const EVERY = 12

/**
 * The order of the files: those of `test/process` wait for processes of their own most of their time, so they are spread over
 * those that keep a core busy, and none is left for the end. The rest keeps its order.
 */
export class WaitingBetween extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const waits = ({ moduleId }: TestSpecification) =>
      relative(this.ctx.config.root, moduleId).startsWith('test/process/')
    const waiting = sorted.filter(waits)
    const others = sorted.filter((file) => !waits(file))
    const spread = others.flatMap((file, n) =>
      n % EVERY === 0 ? [...waiting.slice(n / EVERY, n / EVERY + 1), file] : file,
    )
    return [...spread, ...waiting.slice(Math.ceil(others.length / EVERY))]
  }
}
