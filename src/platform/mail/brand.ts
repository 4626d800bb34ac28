import type { Work } from '../work.ts'
import { mailSettings } from './settings.ts'

/** The name that mails and hosted pages show, with logo and support address. */
export interface Brand {
  name: string
  /** The https URL of an image. */
  logoUrl: string | null
  supportEmail: string | null
  /** The color of buttons and links of hosted pages: `#` with six hexadecimal digits. */
  accentColor: string | null
}

/** The brand of pages without a known directory, and of directories that have set no name. */
export const OWN_BRAND: Brand = { name: 'Watchword', logoUrl: null, supportEmail: null, accentColor: null }

/** The brand of a directory. Every mail and every hosted page uses this function. */
export async function brandOf(work: Pick<Work, 'platform' | 'directory'>): Promise<Brand> {
  const { brand_name, logo_url, support_email, accent_color } = await mailSettings().effective(work)
  return {
    name: brand_name ?? OWN_BRAND.name,
    logoUrl: logo_url,
    supportEmail: support_email,
    accentColor: accent_color,
  }
}
