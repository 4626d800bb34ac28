import type { Work } from '../work.ts'
import { mailSettings } from './settings.ts'

/** Whose name mails and hosted pages carry. */
export interface Brand {
  name: string
  /** An https address of an image. */
  logoUrl: string | null
  supportEmail: string | null
}

/** Where nothing tells whose page it is, and for those who have set no name. */
export const OWN_BRAND: Brand = { name: 'Watchword', logoUrl: null, supportEmail: null }

/** The brand of a directory: the one function by which every mail and every hosted page is branded. */
export async function brandOf(work: Pick<Work, 'platform' | 'directory'>): Promise<Brand> {
  const { brand_name, logo_url, support_email } = await mailSettings.effective(work)
  return { name: brand_name ?? OWN_BRAND.name, logoUrl: logo_url, supportEmail: support_email }
}
