import { defineMail } from '../../../platform/mail/kinds.ts'
import { type Message, titled } from '../../../platform/mail/outbox.ts'
import { type Language, spanInWords } from '../../../platform/messages/language.ts'
import type { LinkMailData } from '../links/links.ts'
import { says } from './messages.ts'

const kinds = { invite: defineMail('invite') }

/** The mail with an invitation. Users who already have a password are asked to sign in with it. */
export function inviteMail(mail: LinkMailData, hasPassword: boolean): Message {
  return {
    kind: kinds.invite,
    to: mail.to,
    write: (language) => titled(says.invited(language), hasPassword ? known(language, mail) : fresh(language, mail)),
  }
}

function known(language: Language, { url }: LinkMailData) {
  return {
    paragraphs: [says.haveAccount(language)],
    button: { label: says.open(language), url },
    footer: says.unexpected(language),
  }
}

function fresh(language: Language, { url, ttlSeconds }: LinkMailData) {
  return {
    paragraphs: [says.created(language)],
    button: { label: says.accept(language), url },
    footer: says.worksOnce(language, { span: spanInWords(language, ttlSeconds) }),
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
      titled(says.invitedToTeam(language, { team }), {
        paragraphs: [(isKnown ? says.joinAsYouAre : says.joinWithPassword)(language, { team })],
        button: { label: says.accept(language), url: mail.url },
        footer: says.worksOnce(language, { span: spanInWords(language, mail.ttlSeconds) }),
      }),
  }
}
