import { fillIn } from '../../../platform/mail/layout.ts'
import { texts } from '../../../platform/messages/texts.gen.ts'
import { form } from '../../../platform/pages/form.ts'
import { html } from '../../../platform/pages/html.ts'
import { paragraph } from '../../../platform/pages/parts.ts'
import { doorRoutes } from '../../access/login/login.ts'
import { type SsoAccess, signInAccessOf } from '../../access/login/sso-only/sso-only.ts'
import { type LinkPage, type LiveLink, linkFields, linkHome, type View } from '../pages/pages.ts'
import { choosePassword } from '../password/password.ts'
import { acceptOnPage, findInvitation } from './accept.ts'
import { inviteErrors } from './errors.ts'
import { inviteEvents } from './events.ts'
import { firstPasswordSettings } from './first-password.ts'
import { invitePurpose } from './link-purpose.ts'

const firstPassword = choosePassword({
  texts: { ...texts.invites.page, done: texts.mail.welcome },
  // Nothing to check: `invitePage` calls `mannerOf` before it shows or submits this form.
  check: async () => {},
  set: acceptOnPage,
})

/**
 * The page of an invitation. It asks for a first password if passwords are on at the time of the request. Otherwise it
 * has only a button.
 */
export const invitePage: LinkPage = {
  type: invitePurpose.type,
  service: 'auth',
  used: texts.invites.page.used,
  another: texts.invites.page.another,
  events: [inviteEvents.accepted, ...doorRoutes.proofEvents],
  async show(live) {
    const manner = await mannerOf(live)
    if (isElsewhere(manner)) return signInThere(live, manner)
    return manner === 'password' ? firstPassword.show(live) : buttonForm(live, manner)
  },
  async act(live, sent) {
    const { work, token, language } = live
    const manner = await mannerOf(live)
    if (isElsewhere(manner)) return signInThere(live, manner)
    if (manner === 'password') return firstPassword.act(live, sent)
    // Passwords were turned off after the page was shown, so the user must learn that their password was not set.
    if (manner === 'link' && sent['password'] !== undefined) return buttonForm(live, manner)
    await acceptOnPage(work, { token })
    const { title, text } = manner === 'join' ? joined : accepted
    return { title: title(language), body: html`${paragraph(text(language))}${linkHome(live)}` }
  },
}

const joined = { title: texts.invites.join.done, text: texts.invites.join.doneText }
const accepted = { title: texts.mail.welcome, text: texts.invites.withoutPassword.doneText }

/**
 * How the person accepts: as an existing team user, with a first password, by the link alone, or through single
 * sign-on.
 */
type Manner = 'join' | 'password' | 'link' | SsoAccess

/** The texts of the page if the invitation cannot be accepted on it. */
const elsewhere = {
  singleSignOn: texts.invites.singleSignOn,
  noAccess: texts.invites.noAccess,
  unavailable: texts.invites.unavailable,
}
const isElsewhere = (manner: Manner): manner is SsoAccess => manner in elsewhere

async function mannerOf({ work, token }: LiveLink): Promise<Manner> {
  const settings = await firstPasswordSettings(work)
  const { joinsAsIs, hasCredential, user } = await findInvitation(work, token)
  if (joinsAsIs) return 'join'
  const way = await signInAccessOf(work, { ...user, user_id: user.id })
  if (way !== 'any') return way
  if (hasCredential) throw inviteErrors.credentialExists()
  return settings ? 'password' : 'link'
}

/** Shows that the invitation is not accepted here: signing in accepts it, or the person needs access first. */
function signInThere(live: LiveLink, way: SsoAccess): View {
  const { language, brand } = live
  const { title, paragraph: text } = elsewhere[way]
  return { title: title(language), body: html`${paragraph(fillIn(text(language), brand))}${linkHome(live)}` }
}

function buttonForm(live: LiveLink, manner: 'join' | 'link'): View {
  const { language, brand } = live
  const [title, text] =
    manner === 'join'
      ? [texts.invites.join.title, texts.invites.join.paragraph]
      : [texts.invites.accept, texts.invites.withoutPassword.paragraph]
  return {
    title: title(language),
    body: html`${paragraph(fillIn(text(language), brand))}${form({
      fields: linkFields(live),
      button: texts.invites.page.button(language),
    })}`,
  }
}
