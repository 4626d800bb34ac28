import { linkUrl } from '../../sign-in/links/links.ts'
import { addressField, hiddenFields, type LinkPage, type LiveLink, type View } from './link.ts'
import { discoverySays, handoverSays, says, signInSays, signUpSays } from './messages.ts'

/**
 * Links that end in a session, which a hosted page cannot hold: its button passes them to the application unredeemed.
 */
const HANDED_OVER = {
  magicLink: {
    ...signInSays,
    button: signInSays.title,
    another: says.requestAtSignIn,
    redeemedBy: '/v1/auth/login/magic-link/verify',
  },
  signup: {
    ...signUpSays,
    another: says.requestAtSignUp,
    redeemedBy: '/v1/auth/signup/authenticate-email/verify',
  },
  discovery: {
    ...discoverySays,
    title: signInSays.title,
    button: signUpSays.button,
    another: says.requestAtSignIn,
    redeemedBy: '/v1/auth/discovery/magic-link/verify',
  },
}

export const magicLinkPage = handOver(HANDED_OVER.magicLink)
export const signupPage = handOver(HANDED_OVER.signup)
export const discoveryPage = handOver(HANDED_OVER.discovery)

type Texts = (typeof HANDED_OVER)[keyof typeof HANDED_OVER]

function handOver(texts: Texts): LinkPage {
  const { used, another, title, paragraph, button } = texts
  return {
    service: 'magic_link',
    used,
    another,
    async show(live) {
      const { home, language } = live
      if (home === null) return explainMissing(live, texts)
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
      if (home === null) return explainMissing(live, texts)
      return { redirectTo: linkUrl(work.platform, { purpose, token, email: who.address.email, redirectTo: home }) }
    },
  }
}

function explainMissing(live: LiveLink, { title, redeemedBy }: Texts): View {
  const { language } = live
  const { production } = live.work.platform.config
  const lacking = handoverSays.lacking(language)
  if (production)
    return { title: title(language), body: { paragraphs: [lacking, handoverSays.tellOperator(language)] } }
  return {
    title: title(language),
    body: { paragraphs: [lacking, handoverSays.command(language)], code: redeemCommand(live, redeemedBy) },
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
