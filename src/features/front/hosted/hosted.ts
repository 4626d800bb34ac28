import { ApiError, httpErrors } from '../../../platform/errors.ts'
import type { EventDefinition } from '../../../platform/events/events.ts'
import type { Redirect } from '../../../platform/http/answer.ts'
import type { RequestContext } from '../../../platform/http/route.ts'
import { OWN_BRAND } from '../../../platform/mail/brand.ts'
import { acceptedLocales, chooseLanguage, type Language } from '../../../platform/messages/language.ts'
import { texts } from '../../../platform/messages/texts.gen.ts'
import { type RenderedPage, renderPage } from '../../../platform/pages/page-layout.ts'
import { definePage } from '../../../platform/pages/pages.ts'
import { isServiceEnabled } from '../../../platform/tenancy/services.ts'
import { assertDoorOpen, assertMaySignIn, doorRoutes, loginEvents } from '../../access/login/login.ts'
import { deviceEvents } from '../../sign-in/devices/devices.ts'
import { inviteEvents } from '../../sign-in/invites/invites.ts'
import { type FoundLink, judgeLink, linkErrors, lookUpLink, presentLink } from '../../sign-in/links/links.ts'
import { unlockByLinkEvents } from '../../sign-in/lockout/lockout.ts'
import { provePasswordEvents, resetOnPageEvents } from '../../sign-in/password/password.ts'
import { undoEmailEvents } from '../me/me.ts'
import { disownPage } from './disown.ts'
import { discoveryPage, magicLinkPage, signupPage } from './handover.ts'
import { type LinkPage, type LiveLink, type ParsedLink, readLink, type View } from './link.ts'
import { invitePage, recoveryPage } from './passwords.ts'
import { explainRefusal } from './refusals.ts'
import { undoPage } from './undo.ts'
import { unlockPage } from './unlock.ts'
import { verificationPage } from './verification.ts'

/** By the `type` of their links, but for those that lead to pages of applications alone. */
const PAGES: Partial<Record<string, LinkPage>> = {
  magiclink: magicLinkPage,
  signup: signupPage,
  invite: invitePage,
  recovery: recoveryPage,
  verification: verificationPage,
  unlock: unlockPage,
  email_undo: undoPage,
  not_me: disownPage,
  discovery: discoveryPage,
}

// A page that explains a refusal counts as a success, so refusals are among the events it may record.
const RECORDED: EventDefinition[] = [
  loginEvents.failed,
  inviteEvents.accepted,
  ...doorRoutes.proofEvents,
  ...resetOnPageEvents,
  ...provePasswordEvents,
  ...unlockByLinkEvents,
  ...undoEmailEvents,
  deviceEvents.disowned,
]

/**
 * Where mailed links lead unless the application has a page of its own. Opening one changes nothing, since mail
 * scanners open every link; its button acts. No page holds a session.
 */
export const hostedPages = definePage({
  path: '/auth/link',
  operation: 'pages.link',
  summary: 'The page of a mailed link',
  maybeEvents: [...new Set(RECORDED)],
  async render(work, _params, query) {
    const brought = await readLink(work, query)
    return brought ? answer(brought, look, (page, live) => page.show(live)) : unreadable(languageOf(work))
  },
  async submit(work, _params, form) {
    const brought = await readLink(work, form)
    return brought ? answer(brought, present, (page, live) => page.act(live, form)) : unreadable(languageOf(work))
  },
})

/** How a link is looked up. */
type Find = (brought: ParsedLink) => Promise<FoundLink>

function answer(
  link: ParsedLink,
  find: Find,
  use: (page: LinkPage, live: LiveLink) => Promise<View>,
): Promise<RenderedPage>
function answer(
  link: ParsedLink,
  find: Find,
  use: (page: LinkPage, live: LiveLink) => Promise<View | Redirect>,
): Promise<RenderedPage | Redirect>
async function answer(
  link: ParsedLink,
  find: Find,
  use: (page: LinkPage, live: LiveLink) => Promise<View | Redirect>,
): Promise<RenderedPage | Redirect> {
  const page = PAGES[link.purpose.type]
  if (!page) return unreadable(link.language)
  const explain = (seen: ParsedLink) => (error: unknown) => {
    const refusal = error instanceof ApiError ? explainRefusal(error, seen, page) : null
    if (!refusal) throw error
    return show(seen, refusal)
  }
  return open(link, page, find).then(
    (live) =>
      use(page, live)
        .then((view) => show(live, view))
        .catch(explain(live)),
    explain(link),
  )
}

function show({ brand, language }: ParsedLink, view: View | Redirect): RenderedPage | Redirect {
  return 'redirectTo' in view ? view : renderPage({ brand, language, ...view })
}

/** The live link of a user who may use it. Throws the refusal otherwise. */
async function open(brought: ParsedLink, { service, worksWhileLocked }: LinkPage, find: Find): Promise<LiveLink> {
  const { work, isOurs } = brought
  if (!(await isServiceEnabled(work, service))) throw httpErrors.serviceDisabled()
  if (!isOurs) throw linkErrors.tokenInvalid()
  await assertDoorOpen(work, null)
  const { link, facts } = await find(brought)
  if (facts && !worksWhileLocked) await assertMaySignIn(work, facts)
  const actor = { type: 'user' as const, id: link.user_id }
  // Only whoever has the link of somebody learns their language.
  const language = facts?.locale ? chooseLanguage(facts.locale, ...brought.locales) : brought.language
  return { ...brought, language, work: { ...work, origin: { ...work.origin, actor } }, link, facts }
}

/** Looks the link up without writing anything. */
async function look({ work, token, purpose, who }: ParsedLink): Promise<FoundLink> {
  const presented = { token, purposes: [purpose], who }
  const { link, facts } = await lookUpLink(work, presented)
  return { link: judgeLink(link, presented), facts }
}

/** Records a refusal, as the API does. */
async function present(brought: ParsedLink): Promise<FoundLink> {
  const { work, token, purpose, who } = brought
  return presentLink(work, { who, token, purposes: [purpose] }, async (found) => found)
}

const languageOf = ({ acceptLanguage }: RequestContext) => chooseLanguage(...acceptedLocales(acceptLanguage))

function unreadable(language: Language): RenderedPage {
  const body = { paragraphs: [texts.hosted.incomplete(language)] }
  return renderPage({ brand: OWN_BRAND, language, title: texts.hosted.doesNotWork(language), status: 400, body })
}
