import { defineMail } from '../../../platform/mail/kinds.ts'
import { withoutLinks } from '../../../platform/mail/layout.ts'
import { type Message, titled } from '../../../platform/mail/outbox.ts'
import { type Language, spanInWords } from '../../../platform/messages/language.ts'
import { texts } from '../../../platform/messages/texts.gen.ts'
import type { LinkMailData } from '../links/send-link/send-link.ts'

const kinds = { invite: defineMail('invite') }

/** What the mail with an invitation says. */
export interface InviteMailData {
  /** The name of the organization; null for the brand. */
  organization: string | null
  /** The name of the person who invites. */
  inviter: string | null
  /**
   * What the user is asked to do: accept and choose a password, accept, sign in with the password they have, by single
   * sign-on, or by another method.
   */
  asks: 'password' | 'acceptance' | 'signInByPassword' | 'singleSignOn' | 'signIn'
}

/** The mail with an invitation. */
export function inviteMail(mail: LinkMailData, { organization, inviter, asks }: InviteMailData): Message {
  const names = { organization: organization === null ? '{brand}' : withoutLinks(organization) }
  return {
    kind: kinds.invite,
    to: mail.to,
    write: (language) => {
      const title =
        inviter === null
          ? texts.invites.invited(language, names)
          : texts.invites.invitedBy(language, { ...names, inviter: withoutLinks(inviter) })
      return titled(title, bodies[asks](language, mail))
    },
  }
}

const bodies = {
  password: (language: Language, mail: LinkMailData) => acceptable(language, mail, texts.invites.created),
  acceptance: (language: Language, mail: LinkMailData) =>
    acceptable(language, mail, texts.invites.createdWithoutPassword),
  signInByPassword: (language: Language, mail: LinkMailData) => known(language, mail, texts.invites.haveAccount),
  singleSignOn: (language: Language, mail: LinkMailData) => known(language, mail, texts.invites.singleSignOn.paragraph),
  signIn: (language: Language, mail: LinkMailData) => known(language, mail, texts.invites.signInAsUsual),
}

function known(language: Language, { url }: LinkMailData, says: (language: Language) => string) {
  return {
    paragraphs: [says(language)],
    button: { label: texts.invites.open(language), url },
    footer: texts.invites.unexpected(language),
  }
}

function acceptable(language: Language, { url, ttlSeconds }: LinkMailData, says: (language: Language) => string) {
  return {
    paragraphs: [says(language)],
    button: { label: texts.invites.accept(language), url },
    footer: texts.invites.worksOnce(language, { span: spanInWords(language, ttlSeconds) }),
  }
}

/** The mail with an invitation to the team of the account or to the roster of an organization. */
export function teamInviteMail(
  mail: LinkMailData,
  { name, isKnown }: { name: string | null; isKnown: boolean },
): Message {
  const team = name === null ? '{brand}' : withoutLinks(name)
  return {
    kind: kinds.invite,
    to: mail.to,
    write: (language) =>
      titled(texts.invites.invitedToTeam(language, { team }), {
        paragraphs: [(isKnown ? texts.invites.joinAsYouAre : texts.invites.joinWithPassword)(language, { team })],
        button: { label: texts.invites.accept(language), url: mail.url },
        footer: texts.invites.worksOnce(language, { span: spanInWords(language, mail.ttlSeconds) }),
      }),
  }
}
