import type { Route } from '../http/route.ts'
import { isId } from '../ids.ts'
import { defineAsset } from '../pages/assets.ts'
import { renderDocument } from '../pages/document.ts'
import { type Html, html, url } from '../pages/html.ts'
import { definePage } from '../pages/pages.ts'
import { policyOf } from '../pages/policy.ts'
import type { Platform } from '../platform.ts'
import { findKeptSms, listKeptSms, type OpenedSms, smsOutbox } from '../sms/outbox.ts'
import { findWithheld } from './bounces/bounces.ts'
import { keepsMail } from './outbox.ts'
import { type Sender, senderOf } from './sender.ts'
import { findKeptMail, listKeptMails, type OpenedMail } from './waiting.ts'

const SHOWN = 100
// The mail is shown in a sandboxed frame that inherits this policy: no scripts, inline styles of the mail, and no external
// content except a logo.
const POLICY = policyOf({ images: ' https:', frames: "'self'", inlineStyles: true })
// The script of the list asks for new messages.
const LIST_POLICY = policyOf({ scripts: true, connects: true })

const assetOf = (name: string) => defineAsset(new URL(`assets/${name}`, import.meta.url))
const styles = [assetOf('dev-mail.css')]
const scripts = [assetOf('dev-mail.js')]

/**
 * /dev/mail shows the mails and text messages that development stores. Only this machine can open it, because the
 * messages sign users in, and unsent ones reveal that an address has no user. The page does not exist in production,
 * or if both a mail server and an SMS provider are configured.
 */
export const mailPages: Route[] = [
  ...definePage({
    path: '/dev/mail',
    summary: 'Emails kept in development',
    localOnly: true,
    contentSecurityPolicy: LIST_POLICY,
    async render({ platform, accept }, _, { to }) {
      if (!keepsMessages(platform)) return null
      const asked = { limit: SHOWN, to: to ?? null }
      const mails = await listKeptMails(platform, asked)
      const texts = await listKeptSms(platform, asked)
      const withheld = await findWithheld(platform, mails)
      if (!accept.toLowerCase().includes('application/json')) return renderList(mails, texts, withheld)
      const content = JSON.stringify({ messages: newestFirst(mails, texts).map((each) => toJson(each, withheld)) })
      return { status: 200, contentType: 'application/json; charset=utf-8', content }
    },
  }),
  ...definePage({
    path: '/dev/mail/{id}',
    summary: 'One of these emails',
    localOnly: true,
    contentSecurityPolicy: POLICY,
    async render({ platform }, { id }) {
      if (!keepsMessages(platform) || id === undefined || !isId(id)) return null
      const mail = await findKeptMail(platform, id)
      if (mail && (await findWithheld(platform, [mail])).has(id)) return null
      if (mail) return renderOne(mail, senderOf(platform.config, mail.from))
      const sms = await findKeptSms(platform, id)
      return sms && renderSms(sms)
    },
  }),
]

function keepsMessages(platform: Platform): boolean {
  return keepsMail(platform) || smsOutbox.keeps(platform)
}

type Shown = OpenedMail | OpenedSms

function newestFirst(mails: OpenedMail[], texts: OpenedSms[]): Shown[] {
  return [...mails, ...texts]
    .sort((one, other) => other.createdAt.getTime() - one.createdAt.getTime() || other.id.localeCompare(one.id))
    .slice(0, SHOWN)
}

/** A message for scripts. Unsent messages have no content. */
function toJson(message: Shown, withheld: ReadonlyMap<string, string>) {
  const { id, kind, to, createdAt, decoy } = message
  const reason = withheld.get(id) ?? message.decoyReason ?? null
  const isSent = !decoy && reason === null
  const text = isSent ? message.text : null
  return {
    ...{ id, kind, to, created_at: createdAt.toISOString() },
    subject: isSent && 'subject' in message ? message.subject : null,
    text,
    links: text?.match(/https?:\/\/[^\s<>"]+/g) ?? [],
    withheld: isSent ? null : (reason ?? 'not sent'),
  }
}

/** `withheld` has the reasons why mails are not sent, by id. */
function renderList(mails: OpenedMail[], texts: OpenedSms[], withheld: ReadonlyMap<string, string>): Html {
  const rows = newestFirst(mails, texts).map((message) =>
    renderRow(message, withheld.get(message.id) ?? message.decoyReason ?? null),
  )
  return renderDocument({
    title: 'Mail',
    styles,
    scripts,
    main: html`<h1>Mail</h1>
<p>Without SMTP_URL, emails are kept here instead of being sent; without WATCHWORD_SMS_URL, so are text messages. New ones appear on top. <span role="status"></span></p>
<noscript><p><a href="/dev/mail">Refresh</a></p></noscript>
<ul>${rows}</ul>
<p>No email yet.</p>`,
  })
}

function renderRow(message: OpenedMail | OpenedSms, reason: string | null): Html {
  const { id, to, createdAt, decoy } = message
  const isMail = 'subject' in message
  const time = html`<time datetime="${createdAt.toISOString()}">${readableTime(createdAt)}</time>`
  const sms = isMail ? null : html` <b>SMS</b>`
  // A decoy has no recipient, and its phone number is made up.
  if (decoy || reason !== null) {
    const why = reason === null ? '' : `: ${reason}`
    return html`<li id="${id}" class="decoy"><div><strong>Not sent${why}${sms}</strong>
${time}${isMail && html`<span>${to}</span>`}</div></li>\n`
  }
  return html`<li id="${id}"><a href="${url(`/dev/mail/${id}`)}"><strong>${isMail ? message.subject : 'Text message'}${sms}</strong>
${time}<span>${to}</span></a></li>\n`
}

function renderSms(sms: OpenedSms): Html {
  return renderDocument({
    title: 'Text message',
    styles,
    main: html`<p><a href="/dev/mail">All mail</a></p>
<h1>Text message</h1>
${renderFields([
  ['To', sms.to],
  ['Kind', sms.kind],
  ['Created', readableTime(sms.createdAt)],
])}
<pre>${sms.text}</pre>`,
  })
}

function renderFields(fields: [name: string, value: string][]): Html {
  return html`<dl>${fields.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>\n`)}</dl>`
}

function renderOne(mail: OpenedMail, { name, address }: Sender): Html {
  const fields = renderFields([
    ['From', name === '' ? address : `${name} <${address}>`],
    ['To', mail.to],
    ...(mail.replyTo === null ? [] : [['Reply to', mail.replyTo] satisfies [string, string]]),
    ['Kind', mail.kind],
    ['Created', readableTime(mail.createdAt)],
  ])
  // Links open in a new tab. The frame has no access to scripts, forms and the surrounding page.
  const frame = html`<iframe title="The email as HTML" sandbox="allow-popups allow-popups-to-escape-sandbox" srcdoc="${mail.html.replace('<head>', '<head><base target="_blank">')}"></iframe>`
  return renderDocument({
    title: mail.subject,
    styles,
    main: html`<p><a href="/dev/mail">All mail</a></p>
<h1>${mail.subject}</h1>
${fields}
<h2>HTML</h2>
${frame}
<h2>Text</h2>
<pre>${mail.text}</pre>`,
  })
}

function readableTime(date: Date): string {
  return `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
