import { type ParseArgsConfig, parseArgs } from 'node:util'

/** Reads the options of a script. With `--help`, or with options that it does not have, prints how to use it and ends. */
export function readOptions<T extends ParseArgsConfig>(usage: string, config: T): ReturnType<typeof parseArgs<T>> {
  if (process.argv.includes('--help')) {
    process.stdout.write(`${usage}\n`)
    process.exit(0)
  }
  try {
    return parseArgs(config)
  } catch (error) {
    return refuseOptions(error instanceof Error ? error.message : String(error), usage)
  }
}

/** Ends the script because of its options. */
export function refuseOptions(why: string, usage: string): never {
  process.stderr.write(`${why}\n\n${usage}\n`)
  process.exit(2)
}
