import { texts } from '../../../platform/messages/texts.gen.ts'
import type { Say } from '../../../platform/messages/texts.ts'
import { type LinkPage, type LiveLink, linkFields, type View } from './link-page.ts'

interface HandOver extends Pick<LinkPage, 'type' | 'used' | 'another'> {
  texts: { title: Say<never>; paragraph: Say<'host'>; button: Say<never> }
  /** The path of the API that redeems the link. */
  redeemedBy: string
}

/**
 * The page for links that end in a session. A hosted page cannot hold a session, so its button passes the link to the
 * application without redeeming it.
 */
export function handOverPage({ texts: says, redeemedBy, ...page }: HandOver): LinkPage {
  const { title, paragraph, button } = says
  const explain = (live: LiveLink) => explainMissing(live, title, redeemedBy)
  return {
    ...page,
    service: 'magic_link',
    async show(live) {
      const { home, language } = live
      if (home === null) return explain(live)
      return {
        title: title(language),
        leadsTo: home,
        body: {
          paragraphs: [paragraph(language, { host: new URL(home).host })],
          form: { fields: linkFields(live), button: button(language) },
        },
      }
    },
    async act(live) {
      return live.home === null ? explain(live) : { redirectTo: live.urlAt(live.home) }
    },
  }
}

function explainMissing(live: LiveLink, title: Say<never>, redeemedBy: string): View {
  const { language } = live
  const { production } = live.work.platform.config
  const lacking = texts.pages.handover.lacking(language)
  if (production)
    return { title: title(language), body: { paragraphs: [lacking, texts.pages.handover.tellOperator(language)] } }
  return {
    title: title(language),
    body: { paragraphs: [lacking, texts.pages.handover.command(language)], code: redeemCommand(live, redeemedBy) },
  }
}

function redeemCommand({ work, token, who }: LiveLink, path: string): string {
  const { platform, directory } = work
  const { organizationId: subOrgId } = directory
  const body = JSON.stringify({
    ...(subOrgId === null ? {} : { subOrgId }),
    email: who.address.email,
    token_hash: token,
  })
  const quoted = `'${body.replaceAll("'", String.raw`'\''`)}'`
  // Base URL: shows a developer the command that redeems a link.
  return [
    `curl ${platform.config.baseUrl}${path}`,
    '-H "X-API-Key: $WATCHWORD_KEY"',
    "-H 'content-type: application/json'",
    `-d ${quoted}`,
  ].join(' \\\n  ')
}
