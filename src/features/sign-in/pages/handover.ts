import { texts } from '../../../platform/messages/texts.gen.ts'
import type { Say } from '../../../platform/messages/texts.ts'
import { form } from '../../../platform/pages/form.ts'
import { html } from '../../../platform/pages/html.ts'
import { paragraph, verbatim } from '../../../platform/pages/parts.ts'
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
  const { title, paragraph: text, button } = says
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
        body: html`${paragraph(text(language, { host: new URL(home).host }))}${form({
          fields: linkFields(live),
          button: button(language),
        })}`,
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
  const { lacking, tellOperator, command } = texts.pages.handover
  const next = production
    ? paragraph(tellOperator(language))
    : html`${paragraph(command(language))}${verbatim(redeemCommand(live, redeemedBy))}`
  return { title: title(language), body: html`${paragraph(lacking(language))}${next}` }
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
