import { defineMail } from '../../../platform/mail/kinds.ts'
import { type Message, titled } from '../../../platform/mail/outbox.ts'
import { type Language, spanInWords } from '../../../platform/messages/language.ts'
import { texts } from '../../../platform/messages/texts.gen.ts'
import type { LinkMailData } from '../links/send-link/send-link.ts'

const kinds = { invite: defineMail('invite') }

/** The mail with an invitation. Users who already have a password are asked to sign in with it. */
export function inviteMail(mail: LinkMailData, hasPassword: boolean): Message {
  return {
    kind: kinds.invite,
    to: mail.to,
    write: (language) =>
      titled(texts.invites.invited(language), hasPassword ? known(language, mail) : fresh(language, mail)),
  }
}

function known(language: Language, { url }: LinkMailData) {
  return {
    paragraphs: [texts.invites.haveAccount(language)],
    button: { label: texts.invites.open(language), url },
    footer: texts.invites.unexpected(language),
  }
}

function fresh(language: Language, { url, ttlSeconds }: LinkMailData) {
  return {
    paragraphs: [texts.invites.created(language)],
    button: { label: texts.invites.accept(language), url },
    footer: texts.invites.worksOnce(language, { span: spanInWords(language, ttlSeconds) }),
  }
}

/** The mail with an invitation to the team of the account or to the roster of an organization. */
export function teamInviteMail(
  mail: LinkMailData,
  { name, isKnown }: { name: string | null; isKnown: boolean },
): Message {
  const team = name ?? '{brand}'
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
