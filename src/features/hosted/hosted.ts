import { ApiError, httpErrors } from '../../platform/errors.ts'
import { systemOrigin } from '../../platform/events.ts'
import { type RenderedPage, renderPage } from '../../platform/http/page-layout.ts'
import type { Page, PageRedirect } from '../../platform/http/pages.ts'
import { OWN_BRAND } from '../../platform/mail/brand.ts'
import type { Platform } from '../../platform/platform.ts'
import { findLink, type LinkPurpose } from '../links/links.ts'
import { assertMaySignIn, assertOrganizationOpen, findSignInFacts } from '../login/login.ts'
import { isServiceEnabled } from '../services/services.ts'
import { magicLinkPage, signupPage } from './handover.ts'
import { type BroughtLink, type LinkPage, type LiveLink, readLink, type View } from './link.ts'
import { invitePage, recoveryPage } from './passwords.ts'
import { explainRefusal } from './refusals.ts'
import { unlockPage } from './unlock.ts'
import { verificationPage } from './verification.ts'

const PAGES: Partial<Record<LinkPurpose, LinkPage>> = {
  magic_link: magicLinkPage,
  signup: signupPage,
  invite: invitePage,
  password_reset: recoveryPage,
  email_verification: verificationPage,
  unlock: unlockPage,
}

/**
 * Where mailed links lead unless the application has a page of its own. Opening one only looks, as the programs that
 * scan mails open every link; its button acts. No page holds a session.
 */
export function hostedPages(platform: Platform): Page[] {
  return [
    {
      path: '/auth/link',
      async render(_params, query) {
        const brought = await readLink(platform, query, systemOrigin())
        return brought ? answer(brought, (page, live) => page.show(live)) : unreadable()
      },
      async submit(_params, form, { origin }) {
        const brought = await readLink(platform, form, origin)
        return brought ? answer(brought, (page, live) => page.act(live, form)) : unreadable()
      },
    },
  ]
}

function answer(link: BroughtLink, use: (page: LinkPage, live: LiveLink) => Promise<View>): Promise<RenderedPage>
function answer(
  link: BroughtLink,
  use: (page: LinkPage, live: LiveLink) => Promise<View | PageRedirect>,
): Promise<RenderedPage | PageRedirect>
async function answer(
  link: BroughtLink,
  use: (page: LinkPage, live: LiveLink) => Promise<View | PageRedirect>,
): Promise<RenderedPage | PageRedirect> {
  const page = PAGES[link.purpose]
  if (!page) return unreadable()
  const view = await open(link, page)
    .then((live) => use(page, live))
    .catch((error: unknown) => {
      const refusal = error instanceof ApiError ? explainRefusal(error, link, page) : null
      if (!refusal) throw error
      return refusal
    })
  return 'redirectTo' in view ? view : renderPage({ brand: link.brand, ...view })
}

/** The link, live at this moment, of somebody who may use it. Throws what refuses it. */
async function open(brought: BroughtLink, { service }: LinkPage): Promise<LiveLink> {
  const { context, token, purpose, who } = brought
  const { platform, directory, origin } = context
  if (!(await isServiceEnabled(platform, directory, service))) throw httpErrors.serviceDisabled()
  await assertOrganizationOpen(context)
  const presented = { token, purposes: [purpose], identity: who.hash }
  const link = await findLink(platform.db, platform, directory, presented)
  const facts = await findSignInFacts(context, platform.db, who)
  if (facts && purpose !== 'unlock') assertMaySignIn(facts)
  const actor = { type: 'user' as const, id: link.user_id }
  return { ...brought, context: { ...context, origin: { ...origin, actor } }, link, facts }
}

function unreadable(): RenderedPage {
  const paragraphs = ['It is incomplete. Open it from the mail once more, or copy all of it.']
  return renderPage({ brand: OWN_BRAND, title: 'This link does not work', status: 400, body: { paragraphs } })
}
