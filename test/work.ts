import { systemOrigin } from '../src/platform/events/events.ts'
import type { Platform } from '../src/platform/platform.ts'
import { type Directory, findDirectory } from '../src/platform/tenancy/directory.ts'
import type { Work } from '../src/platform/work.ts'

/** The work with which a test calls a rule outside a request, acting as the service itself. */
export function workIn(platform: Platform, directory: Directory): Work {
  return { platform, directory, origin: systemOrigin(), db: platform.db }
}

/** The same for a directory by its id. Throws when there is none. */
export async function getWorkIn(platform: Platform, directoryId: string): Promise<Work> {
  const directory = await findDirectory(platform, directoryId)
  if (!directory) throw new Error(`No directory ${directoryId}`)
  return workIn(platform, directory)
}
