import { linkUrl } from '../links/links.ts'
import { addressField, hiddenFields, type LinkPage, type LiveLink, type View } from './link.ts'

/**
 * Links that end in a session, which a hosted page cannot hold: its button passes them to the application unredeemed.
 */
const HANDED_OVER = {
  magicLink: {
    service: 'magic_link',
    title: 'Sign in',
    paragraph: 'Continue to {host}, where you will be signed in.',
    button: 'Sign in',
    used: 'If it was you, you are signed in. If not, request a new link where you sign in.',
    another: 'Request a new one where you sign in.',
    redeemedBy: '/v1/auth/login/magic-link/verify',
  },
  signup: {
    service: 'magic_link',
    title: 'Finish your sign-up',
    paragraph: 'Continue to {host}, where your account will be ready.',
    button: 'Continue',
    used: 'If it was you, your account is ready. If not, request a new link where you signed up.',
    another: 'Request a new one where you signed up.',
    redeemedBy: '/v1/auth/signup/authenticate-email/verify',
  },
  discovery: {
    service: 'magic_link',
    title: 'Sign in',
    paragraph: 'Continue to {host}, where you will choose what to sign in to.',
    button: 'Continue',
    used: 'If it was you, go on where you followed it. If not, request a new link where you sign in.',
    another: 'Request a new one where you sign in.',
    redeemedBy: '/v1/auth/discovery/magic-link/verify',
  },
} as const

export const magicLinkPage = handOver(HANDED_OVER.magicLink)
export const signupPage = handOver(HANDED_OVER.signup)
export const discoveryPage = handOver(HANDED_OVER.discovery)

type Texts = (typeof HANDED_OVER)[keyof typeof HANDED_OVER]

function handOver(texts: Texts): LinkPage {
  const { service, used, another, title, paragraph, button } = texts
  return {
    service,
    used,
    another,
    async show(live) {
      const { home } = live
      if (home === null) return explainMissing(live, texts)
      return {
        title,
        leadsTo: home,
        body: {
          paragraphs: [paragraph.replace('{host}', () => new URL(home).host)],
          form: { fields: [...hiddenFields(live), addressField(live)], button },
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
  const { production } = live.work.platform.config
  const lacking =
    'Your link is valid, but the application has not configured where it leads: the link was sent without redirectTo, ' +
    'and its settings default_redirect_uri and allowed_redirect_uris name no single address.'
  if (production) return { title, body: { paragraphs: [lacking, 'Please tell the operator of the application.'] } }
  return {
    title,
    body: {
      paragraphs: [lacking, 'Until then, outside production, this command redeems it:'],
      code: redeemCommand(live, redeemedBy),
    },
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
  return [
    `curl ${platform.config.baseUrl}${path}`,
    '-H "X-API-Key: $WATCHWORD_KEY"',
    "-H 'content-type: application/json'",
    `-d ${quoted}`,
  ].join(' \\\n  ')
}
