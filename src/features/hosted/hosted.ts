import { ApiError, httpErrors } from '../../platform/errors.ts'
import { systemOrigin } from '../../platform/events.ts'
import { type RenderedPage, renderPage } from '../../platform/http/page-layout.ts'
import type { Page, PageRedirect } from '../../platform/http/pages.ts'
import { claimAct } from '../../platform/http/rate-limit.ts'
import { OWN_BRAND } from '../../platform/mail/brand.ts'
import type { Platform } from '../../platform/platform.ts'
import { findLink, type LinkPurpose } from '../links/links.ts'
import {
  assertMaySignIn,
  assertOrganizationOpen,
  findSignInFacts,
  type PresentedLink,
  presentLink,
} from '../login/login.ts'
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

// Anybody can press the button of a made-up link: the stream of events must not fill up with it.
const PRESSES_RECORDED = { bucket: 'link.page.minute', limit: 120, windowSeconds: 60 }

/**
 * Where mailed links lead unless the application has a page of its own. Opening one only looks, as the programs that
 * scan mails open every link; its button acts. No page holds a session.
 */
export function hostedPages(platform: Platform): Page[] {
  return [
    {
      path: '/auth/link',
      async render(_params, query) {
        const brought = await readLink({ platform, origin: systemOrigin() }, query)
        return brought ? answer(brought, look, (page, live) => page.show(live)) : unreadable()
      },
      async submit(_params, form, { origin }) {
        const brought = await readLink({ platform, origin }, form)
        return brought ? answer(brought, present, (page, live) => page.act(live, form)) : unreadable()
      },
    },
  ]
}

/** How a link is looked up. */
type Find = (brought: BroughtLink) => Promise<PresentedLink>

function answer(
  link: BroughtLink,
  find: Find,
  use: (page: LinkPage, live: LiveLink) => Promise<View>,
): Promise<RenderedPage>
function answer(
  link: BroughtLink,
  find: Find,
  use: (page: LinkPage, live: LiveLink) => Promise<View | PageRedirect>,
): Promise<RenderedPage | PageRedirect>
async function answer(
  link: BroughtLink,
  find: Find,
  use: (page: LinkPage, live: LiveLink) => Promise<View | PageRedirect>,
): Promise<RenderedPage | PageRedirect> {
  const page = PAGES[link.purpose]
  if (!page) return unreadable()
  const view = await open(link, page, find)
    .then((live) => use(page, live))
    .catch((error: unknown) => {
      const refusal = error instanceof ApiError ? explainRefusal(error, link, page) : null
      if (!refusal) throw error
      return refusal
    })
  return 'redirectTo' in view ? view : renderPage({ brand: link.brand, ...view })
}

/** The link, live at this moment, of somebody who may use it. Throws what refuses it. */
async function open(brought: BroughtLink, { service }: LinkPage, find: Find): Promise<LiveLink> {
  const { work, purpose } = brought
  if (!(await isServiceEnabled(work, service))) throw httpErrors.serviceDisabled()
  await assertOrganizationOpen(work)
  const { link, facts } = await find(brought)
  if (facts && purpose !== 'unlock') assertMaySignIn(facts)
  const actor = { type: 'user' as const, id: link.user_id }
  return { ...brought, work: { ...work, origin: { ...work.origin, actor } }, link, facts }
}

/** Writes nothing. */
async function look({ work, token, purpose, who }: BroughtLink): Promise<PresentedLink> {
  const link = await findLink(work, { token, purposes: [purpose], identity: who.hash })
  return { link, facts: await findSignInFacts(work, who) }
}

/** A refusal is recorded, as the API does; from forms, which need no key, only so many of an organization. */
async function present(brought: BroughtLink): Promise<PresentedLink> {
  const { work, token, purpose, who } = brought
  if (!(await claimAct(work, PRESSES_RECORDED))) return look(brought)
  return presentLink(work, { who, token, purposes: [purpose] }, async (found) => found)
}

function unreadable(): RenderedPage {
  const paragraphs = ['It is incomplete. Open it from the mail once more, or copy all of it.']
  return renderPage({ brand: OWN_BRAND, title: 'This link does not work', status: 400, body: { paragraphs } })
}
