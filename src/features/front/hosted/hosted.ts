import { ApiError, httpErrors } from '../../../platform/errors.ts'
import type { Redirect } from '../../../platform/http/answer.ts'
import type { RequestContext, Route } from '../../../platform/http/route.ts'
import { OWN_BRAND } from '../../../platform/mail/brand.ts'
import { acceptedLocales, chooseLanguage, type Language } from '../../../platform/messages/language.ts'
import { texts } from '../../../platform/messages/texts.gen.ts'
import { type RenderedPage, renderPage } from '../../../platform/pages/card.ts'
import { definePage } from '../../../platform/pages/pages.ts'
import { paragraph } from '../../../platform/pages/parts.ts'
import { isServiceEnabled } from '../../../platform/tenancy/services.ts'
import { assertDoorOpen, assertMaySignIn, loginEvents } from '../../access/login/login.ts'
import { linkErrors } from '../../sign-in/links/links.ts'
import { assertLinkUsable, type FoundLink, lookUpLink, redeemLink } from '../../sign-in/links/presented/presented.ts'
import type { LinkPage, LiveLink, ShownLink, View } from '../../sign-in/pages/pages.ts'
import { type ParsedLink, readLink } from './link.ts'
import { explainRefusal } from './refusals.ts'

/**
 * The pages that mailed links lead to, unless the application has its own page. Mail scanners open every link, so
 * opening a page changes nothing: only its button does something. No page creates a session. Links whose `type` has
 * no page here always lead to a page of the application.
 */
export function hostedPages(pages: readonly LinkPage[]): Route[] {
  const byType = new Map(pages.map((page) => [page.type, page]))
  // A page that explains a refusal counts as success, so the route may also record the events of refusals.
  const recorded = new Set([loginEvents.failed, ...pages.flatMap(({ events = [] }) => events)])
  const pageOf = (link: ParsedLink) => byType.get(link.type)
  return definePage({
    path: '/auth/link',
    operation: 'pages.link',
    summary: 'Open the page of a link',
    maybeEvents: [...recorded],
    async render(work, _params, query) {
      const link = await readLink(work, query)
      const page = link && pageOf(link)
      return page
        ? answer({ link, page }, findQuietly, (live) => page.show(live))
        : unreadable(link?.language ?? languageOf(work))
    },
    async submit(work, _params, form) {
      const link = await readLink(work, form)
      const page = link && pageOf(link)
      return page
        ? answer({ link, page }, findAndRecord, (live) => page.act(live, form))
        : unreadable(link?.language ?? languageOf(work))
    },
  })
}

/** How a link is looked up. */
type Find = (brought: ParsedLink) => Promise<FoundLink>

interface Asked {
  link: ParsedLink
  page: LinkPage
}

function answer(asked: Asked, find: Find, use: (live: LiveLink) => Promise<View>): Promise<RenderedPage>
function answer(
  asked: Asked,
  find: Find,
  use: (live: LiveLink) => Promise<View | Redirect>,
): Promise<RenderedPage | Redirect>
async function answer(
  { link, page }: Asked,
  find: Find,
  use: (live: LiveLink) => Promise<View | Redirect>,
): Promise<RenderedPage | Redirect> {
  const explain = (seen: ShownLink) => (error: unknown) => {
    const refusal = error instanceof ApiError ? explainRefusal(error, seen, page) : null
    if (!refusal) throw error
    return show(seen, refusal)
  }
  return open(link, page, find).then(
    (live) =>
      use(live)
        .then((view) => show(live, view))
        .catch(explain(live)),
    explain(link),
  )
}

function show({ brand, language }: ShownLink, view: View | Redirect): RenderedPage | Redirect {
  return 'redirectTo' in view ? view : renderPage({ brand, language, ...view })
}

/** The live link, if its user may use it. Throws the refusal otherwise. */
async function open(brought: ParsedLink, { service, worksWhileLocked }: LinkPage, find: Find): Promise<LiveLink> {
  const { work, isOurs } = brought
  if (!(await isServiceEnabled(work, service))) throw httpErrors.serviceDisabled()
  if (!isOurs) throw linkErrors.tokenInvalid()
  await assertDoorOpen(work, null)
  const { link, facts } = await find(brought)
  if (facts && !worksWhileLocked) await assertMaySignIn(work, facts)
  const actor = { type: 'user' as const, id: link.user_id }
  // The page shows the user's language. Only a live link may reveal that.
  const language = facts?.locale ? chooseLanguage(facts.locale, ...brought.locales) : brought.language
  return { ...brought, language, work: { ...work, origin: { ...work.origin, actor } }, facts }
}

/** Looks the link up without writing anything. */
async function findQuietly({ work, token, purpose, who }: ParsedLink): Promise<FoundLink> {
  const presented = { token, purposes: [purpose], who }
  const { link, facts } = await lookUpLink(work, presented)
  return { link: assertLinkUsable(link, presented), facts }
}

/** Looks the link up and records a refusal, as the API does. */
async function findAndRecord(brought: ParsedLink): Promise<FoundLink> {
  const { work, token, purpose, who } = brought
  return redeemLink(work, { who, token, purposes: [purpose] }, async (found) => found)
}

const languageOf = ({ acceptLanguage }: RequestContext) => chooseLanguage(...acceptedLocales(acceptLanguage))

function unreadable(language: Language): RenderedPage {
  const body = paragraph(texts.hosted.incomplete(language))
  return renderPage({ brand: OWN_BRAND, language, title: texts.hosted.doesNotWork(language), status: 400, body })
}
