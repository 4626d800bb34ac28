import { systemOrigin } from '../src/platform/events.ts'
import type { Directory } from '../src/platform/http/directory.ts'
import type { Platform } from '../src/platform/platform.ts'
import type { Work } from '../src/platform/work.ts'

/** What a test calls a rule with, where there is no request: the service itself acts. */
export function workIn(platform: Platform, directory: Directory): Work {
  return { platform, directory, origin: systemOrigin(), db: platform.db }
}
