import { EXAMPLE_LINK } from '../../../platform/mail/examples.ts'
import { defineMail } from '../../../platform/mail/kinds.ts'
import { withoutLinks } from '../../../platform/mail/layout.ts'
import { type Message, titled, withValues } from '../../../platform/mail/outbox.ts'
import { type Language, spanInWords } from '../../../platform/messages/language.ts'
import { texts } from '../../../platform/messages/texts.gen.ts'
import type { SsoAccess } from '../../access/login/sso-only/sso-only.ts'
import type { LinkMailData } from '../links/send-link/send-link.ts'

const kinds = {
  invite: defineMail(
    'invite',
    () => inviteMail(EXAMPLE_LINK, { organization: 'First Customer', inviter: 'Ada Lovelace', asks: 'password' }),
    {
      organization: { means: 'The name of the organization, or else of the brand.', requiredInHeading: true },
      inviter: { means: 'The name of the person who sent the invitation. Absent if it is unknown.', optional: true },
    },
  ),
}

/** What the mail with an invitation says. */
export interface InviteMailData {
  /** The name of the organization, or null to show the brand. */
  organization: string | null
  /** The name of the person who invites. */
  inviter: string | null
  /**
   * What the mail asks the user to do. The user accepts and chooses a password, accepts without one, or signs in with
   * their password, through single sign-on, or by another method. If single sign-on is enforced and no connection
   * accepts the user, the mail tells them to request access.
   */
  asks: 'password' | 'acceptance' | 'signInByPassword' | 'signIn' | SsoAccess
}

/** The mail with an invitation. */
export function inviteMail(mail: LinkMailData, { organization, inviter, asks }: InviteMailData): Message {
  return withValues({
    kind: kinds.invite,
    to: mail.to,
    values: (language, brand) => ({
      organization: organization === null ? brand : withoutLinks(organization),
      inviter: inviter === null ? null : withoutLinks(inviter),
      expires_in: spanInWords(language, mail.ttlSeconds),
    }),
    write: (language, { organization, inviter, expires_in }) =>
      titled(
        inviter === null
          ? texts.invites.invited(language, { organization })
          : texts.invites.invitedBy(language, { organization, inviter }),
        bodies[asks](language, mail.url, expires_in),
      ),
  })
}

const bodies = {
  password: (language: Language, url: string, span: string) =>
    acceptable(language, texts.invites.created, { url, span }),
  acceptance: (language: Language, url: string, span: string) =>
    acceptable(language, texts.invites.createdWithoutPassword, { url, span }),
  signInByPassword: (language: Language, url: string) => known(language, texts.invites.haveAccount, url),
  singleSignOn: (language: Language, url: string) => known(language, texts.invites.singleSignOn.paragraph, url),
  noAccess: (language: Language, url: string) => known(language, texts.invites.noAccess.paragraph, url),
  unavailable: (language: Language, url: string) => known(language, texts.invites.unavailable.paragraph, url),
  signIn: (language: Language, url: string) => known(language, texts.invites.signInAsUsual, url),
}

function known(language: Language, says: (language: Language) => string, url: string) {
  return {
    paragraphs: [says(language)],
    button: { label: texts.invites.open(language), url },
    footer: texts.invites.unexpected(language),
  }
}

function acceptable(
  language: Language,
  says: (language: Language) => string,
  { url, span }: { url: string; span: string },
) {
  return {
    paragraphs: [says(language)],
    button: { label: texts.invites.accept(language), url },
    footer: texts.invites.worksOnce(language, { span }),
  }
}

/** The mail with an invitation to the team of the account or to the roster of an organization. */
export function teamInviteMail(
  mail: LinkMailData,
  { name, isKnown }: { name: string | null; isKnown: boolean },
): Message {
  return withValues({
    kind: kinds.invite,
    to: mail.to,
    values: (language, brand) => ({
      organization: name === null ? brand : withoutLinks(name),
      expires_in: spanInWords(language, mail.ttlSeconds),
    }),
    write: (language, { organization: team, expires_in: span }) =>
      titled(texts.invites.invitedToTeam(language, { team }), {
        paragraphs: [(isKnown ? texts.invites.joinAsYouAre : texts.invites.joinWithPassword)(language, { team })],
        button: { label: texts.invites.accept(language), url: mail.url },
        footer: texts.invites.worksOnce(language, { span }),
      }),
  })
}
