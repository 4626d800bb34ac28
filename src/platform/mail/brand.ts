import type { Work } from '../work.ts'
import { mailSettings } from './settings.ts'

/** The name that mails and hosted pages show, and what goes with it. */
export interface Brand {
  name: string
  /** An https address of an image. */
  logoUrl: string | null
  supportEmail: string | null
}

/** For pages of no known directory, and for directories that have set no name. */
export const OWN_BRAND: Brand = { name: 'Watchword', logoUrl: null, supportEmail: null }

/** The brand of a directory: the one function by which every mail and every hosted page is branded. */
export async function brandOf(work: Pick<Work, 'platform' | 'directory'>): Promise<Brand> {
  const { brand_name, logo_url, support_email } = await mailSettings().effective(work)
  return { name: brand_name ?? OWN_BRAND.name, logoUrl: logo_url, supportEmail: support_email }
}
