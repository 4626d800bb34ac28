import { fillIn } from '../../../platform/mail/layout.ts'
import { texts } from '../../../platform/messages/texts.gen.ts'
import { doorRoutes } from '../../access/login/login.ts'
import { type LinkPage, type LiveLink, linkFields, linkHome, type View } from '../pages/pages.ts'
import { choosePassword, getPasswordSettings } from '../password/password.ts'
import { acceptOnPage, findInvitation } from './accept.ts'
import { inviteErrors } from './errors.ts'
import { inviteEvents } from './events.ts'
import { invitePurpose } from './link-purpose.ts'

const firstPassword = choosePassword({
  texts: { ...texts.invites.page, done: texts.mail.welcome },
  async check({ work, token }) {
    await getPasswordSettings(work)
    const { hasCredential } = await findInvitation(work, token)
    if (hasCredential) throw inviteErrors.credentialExists()
  },
  set: acceptOnPage,
})

/** The page of an invitation: a first password, or nothing but a button for a person who needs none. */
export const invitePage: LinkPage = {
  type: invitePurpose.type,
  service: 'password',
  used: texts.invites.page.used,
  another: texts.invites.page.another,
  events: [inviteEvents.accepted, ...doorRoutes.proofEvents],
  async show(live) {
    const { needsNoPassword } = await findInvitation(live.work, live.token)
    return needsNoPassword ? joinForm(live) : firstPassword.show(live)
  },
  async act(live, form) {
    const { work, token, language } = live
    const { needsNoPassword } = await findInvitation(work, token)
    if (!needsNoPassword) return firstPassword.act(live, form)
    await acceptOnPage(work, { token })
    const { done, doneText } = texts.invites.join
    return { title: done(language), body: { paragraphs: [doneText(language)], ...linkHome(live) } }
  },
}

function joinForm(live: LiveLink): View {
  const { language, brand } = live
  return {
    title: texts.invites.join.title(language),
    body: {
      paragraphs: [fillIn(texts.invites.join.paragraph(language), brand)],
      form: { fields: linkFields(live), button: texts.invites.page.button(language) },
    },
  }
}
