import { texts } from '../../../platform/messages/texts.gen.ts'
import { linkUrl } from '../../sign-in/links/links.ts'
import { addressField, hiddenFields, type LinkPage, type LiveLink, type View } from './link.ts'

/**
 * Links that end in a session, which a hosted page cannot hold: its button passes them to the application unredeemed.
 */
const HANDED_OVER = {
  magicLink: {
    ...texts.hosted.signIn,
    title: texts.mail.signIn,
    button: texts.mail.signIn,
    another: texts.hosted.requestAtSignIn,
    redeemedBy: '/v1/auth/login/magic-link/verify',
  },
  signup: {
    ...texts.hosted.signUp,
    button: texts.pages.form.button,
    another: texts.hosted.requestAtSignUp,
    redeemedBy: '/v1/auth/signup/authenticate-email/verify',
  },
  discovery: {
    ...texts.hosted.discovery,
    title: texts.mail.signIn,
    button: texts.pages.form.button,
    another: texts.hosted.requestAtSignIn,
    redeemedBy: '/v1/auth/discovery/magic-link/verify',
  },
}

export const magicLinkPage = handOver(HANDED_OVER.magicLink)
export const signupPage = handOver(HANDED_OVER.signup)
export const discoveryPage = handOver(HANDED_OVER.discovery)

type Handover = (typeof HANDED_OVER)[keyof typeof HANDED_OVER]

function handOver(handover: Handover): LinkPage {
  const { used, another, title, paragraph, button } = handover
  return {
    service: 'magic_link',
    used,
    another,
    async show(live) {
      const { home, language } = live
      if (home === null) return explainMissing(live, handover)
      return {
        title: title(language),
        leadsTo: home,
        body: {
          paragraphs: [paragraph(language, { host: new URL(home).host })],
          form: { fields: [...hiddenFields(live), addressField(live)], button: button(language) },
        },
      }
    },
    async act(live) {
      const { work, purpose, home, token, who } = live
      if (home === null) return explainMissing(live, handover)
      return { redirectTo: linkUrl(work.platform, { purpose, token, email: who.address.email, redirectTo: home }) }
    },
  }
}

function explainMissing(live: LiveLink, { title, redeemedBy }: Handover): View {
  const { language } = live
  const { production } = live.work.platform.config
  const lacking = texts.hosted.handover.lacking(language)
  if (production)
    return { title: title(language), body: { paragraphs: [lacking, texts.hosted.handover.tellOperator(language)] } }
  return {
    title: title(language),
    body: { paragraphs: [lacking, texts.hosted.handover.command(language)], code: redeemCommand(live, redeemedBy) },
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
