import type { Work } from '../../../platform/work.ts'
import { doorSettings } from './settings.ts'
import { isWebOrigin } from './web-origin.ts'

/** Whether pages of this origin may call end-user routes: the origin must equal an entry of `allowed_origins`. */
export async function isOriginAllowed(work: Pick<Work, 'platform' | 'directory'>, origin: string): Promise<boolean> {
  const { allowed_origins: allowed } = await doorSettings.effective(work)
  return allowed.includes(origin) && isWebOrigin(work.platform.config, origin)
}
