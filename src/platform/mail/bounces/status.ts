/** What a failed delivery says about the address. */
export type Failure = 'hard' | 'soft'

/**
 * Statuses that mean that the address accepts no mail at all (RFC 3463 §3.2, §3.3; RFC 7505 §4.2): no such mailbox or
 * host, an address that cannot exist, a mailbox that moved, or a host that accepts no mail.
 */
const HARD = new Set(['5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10'])

/**
 * Statuses of a mailbox that accepts no mail at the moment (RFC 3463 §3.3), although they are permanent errors. 5.2.2
 * ends when the owner deletes mails. Servers send 5.2.1 for a disabled mailbox, and also for one that currently gets
 * too many mails, which a stranger can cause.
 */
const FULL = new Set(['5.2.1', '5.2.2'])

/** Temporary problems of the address, its mailbox, its server or the network. */
const TEMPORARY = /^4\.[1-4]\.\d+$/

const ENHANCED = /^[245]\.\d{1,3}\.\d{1,3}$/

/** The enhanced status code at the start of a text, or null. */
export function readStatus(text: string): string | null {
  const [first = ''] = text.trim().split(/[\s(]/, 1)
  return ENHANCED.test(first) ? first : null
}

/**
 * Whether the status of a failed delivery counts against the address. Null for a problem of the sender, the message or
 * a server, such as 5.1.7, 5.3.4 or 5.7.1. Otherwise a sender with a wrong configuration would suppress every address
 * that it writes to.
 */
export function failureOf(status: string): Failure | null {
  if (HARD.has(status)) return 'hard'
  return FULL.has(status) || TEMPORARY.test(status) ? 'soft' : null
}

/** A domain that accepts no mail (RFC 7504 §4). */
const NO_MAIL = 556
/** RFC 5321 §4.2.3: no such mailbox, or refused by policy. */
const UNAVAILABLE = 550
// Only words that always mean a missing mailbox. Such replies are lines of at most 512 bytes (RFC 5321 §4.5.3.1.5).
const NO_MAILBOX =
  /\b(no such|unknown|invalid) (user|mailbox|recipient)\b|\b(user|mailbox|recipient) (is )?(unknown|not found|does not exist)\b/i

// A server may call the sender's server back and quote that server's reply.
const OF_SENDER = /sender|\bfrom\b|verif|callout|call-?back/i

/**
 * Reads a mail server's reply to a recipient or a message in the same way. A reply without an enhanced status code
 * (RFC 2034) counts only if it clearly concerns the address. A reply about the sender never counts.
 */
export function failureOfReply(response: string): { failure: Failure; status: string | null } | null {
  const [, digits = '', words = ''] = /^(5\d\d)[ -]?(.{0,512})/s.exec(response) ?? []
  if (OF_SENDER.test(words)) return null
  const status = readStatus(words)
  if (status !== null) {
    const failure = failureOf(status)
    return failure && { failure, status }
  }
  const code = Number(digits)
  const isMissing = code === NO_MAIL || (code === UNAVAILABLE && NO_MAILBOX.test(words))
  return isMissing ? { failure: 'hard', status: null } : null
}
