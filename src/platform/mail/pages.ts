import { createHash } from 'node:crypto'
import type { Route } from '../http/route.ts'
import { isId } from '../ids.ts'
import { renderDocument } from '../pages/page-layout.ts'
import { definePage } from '../pages/pages.ts'
import type { Platform } from '../platform.ts'
import { findKeptSms, listKeptSms, type OpenedSms, smsOutbox } from '../sms/outbox.ts'
import { findWithheld } from './bounces/bounces.ts'
import { escapeHtml } from './html.ts'
import { keepsMail } from './outbox.ts'
import { type Sender, senderOf } from './sender.ts'
import { findKeptMail, listKeptMails, type OpenedMail } from './waiting.ts'

const SHOWN = 100
// The mail is shown in a sandboxed frame that inherits this policy: no scripts, and no external content except a logo.
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data: https:; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// Adds new rows at the top. Reloading the page would lose the reader's selection and focus.
const SCRIPT = `
const list = document.querySelector('ul')
setInterval(async () => {
  if (document.hidden) return
  try {
    const { body } = new DOMParser().parseFromString(await (await window.fetch(location.href)).text(), 'text/html')
    const rows = [...body.querySelectorAll('li')].filter(({ id }) => !document.getElementById(id))
    if (rows.length === 0) return
    list.prepend(...rows)
    document.querySelector('[role=status]').textContent = rows.length + ' new'
  } catch {}
}, 3000)
`
const LIST_POLICY = `default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`

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

const STYLES = `h2{margin-top:28px}
p,dl{margin:0 0 20px;color:var(--soft)}
ul{list-style:none;margin:0;padding:0;background:var(--card);border:1px solid var(--line);border-radius:12px;overflow:hidden}
li+li{border-top:1px solid var(--line)}
li>*{display:grid;grid-template-columns:1fr auto;gap:2px 16px;padding:12px 16px}
li a{text-decoration:none}
li a:hover,li a:focus-visible{background:var(--hover)}
li strong{font-weight:600;overflow-wrap:anywhere}
li span{grid-column:1/-1;color:var(--soft);overflow-wrap:anywhere}
b{padding:1px 6px;border-radius:6px;background:var(--mark);font-size:12px}
ul:empty,ul:not(:empty)+p{display:none}
.decoy strong{color:var(--soft);font-weight:400}
time{color:var(--soft);font-variant-numeric:tabular-nums;white-space:nowrap}
dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 16px}
dd{margin:0;color:var(--ink);overflow-wrap:anywhere}
pre,iframe{display:block;width:100%;margin:0;background:var(--card);border:1px solid var(--line);border-radius:12px}
pre{padding:16px;white-space:pre-wrap;overflow-wrap:anywhere}
iframe{height:600px}
@media (max-width:560px){li>*{grid-template-columns:1fr}}`

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
function renderList(mails: OpenedMail[], texts: OpenedSms[], withheld: ReadonlyMap<string, string>): string {
  const rows = newestFirst(mails, texts).map((message) =>
    renderRow(message, withheld.get(message.id) ?? message.decoyReason ?? null),
  )
  return renderDocument({
    title: 'Mail',
    styles: STYLES,
    main: `<h1>Mail</h1>
<p>Without SMTP_URL, emails are kept here instead of being sent; without WATCHWORD_SMS_URL, so are text messages. New ones appear on top. <span role="status"></span></p>
<noscript><p><a href="/dev/mail">Refresh</a></p></noscript>
<ul>${rows.join('\n')}</ul>
<p>No email yet.</p>
<script>${SCRIPT}</script>`,
  })
}

function renderRow(message: OpenedMail | OpenedSms, reason: string | null): string {
  const { id, to, createdAt, decoy } = message
  const isMail = 'subject' in message
  const time = `<time datetime="${createdAt.toISOString()}">${readableTime(createdAt)}</time>`
  const sms = isMail ? '' : ' <b>SMS</b>'
  // A decoy has no recipient, and its phone number is made up.
  if (decoy || reason !== null) {
    const why = reason === null ? '' : `: ${escapeHtml(reason)}`
    const address = isMail ? `<span>${escapeHtml(to)}</span>` : ''
    return `<li id="${id}" class="decoy"><div><strong>Not sent${why}${sms}</strong>\n${time}${address}</div></li>`
  }
  const title = isMail ? escapeHtml(message.subject) : `Text message${sms}`
  return `<li id="${id}"><a href="/dev/mail/${id}"><strong>${title}</strong>
${time}<span>${escapeHtml(to)}</span></a></li>`
}

function renderSms(sms: OpenedSms): string {
  return renderDocument({
    title: 'Text message',
    styles: STYLES,
    main: `<p><a href="/dev/mail">All mail</a></p>
<h1>Text message</h1>
<dl>${renderFields([
      ['To', sms.to],
      ['Kind', sms.kind],
      ['Created', readableTime(sms.createdAt)],
    ])}</dl>
<pre>${escapeHtml(sms.text)}</pre>`,
  })
}

function renderFields(fields: string[][]): string {
  return fields.map(([name = '', value = '']) => `<dt>${name}</dt><dd>${escapeHtml(value)}</dd>`).join('\n')
}

function renderOne(mail: OpenedMail, { name, address }: Sender): string {
  const fields = [
    ['From', name === '' ? address : `${name} <${address}>`],
    ['To', mail.to],
    ...(mail.replyTo === null ? [] : [['Reply to', mail.replyTo]]),
    ['Kind', mail.kind],
    ['Created', readableTime(mail.createdAt)],
  ]
  // Links open in a new tab. The frame has no access to scripts, forms and the surrounding page.
  const frame = `<iframe title="The email as HTML" sandbox="allow-popups allow-popups-to-escape-sandbox" srcdoc="${escapeHtml(mail.html.replace('<head>', '<head><base target="_blank">'))}"></iframe>`
  return renderDocument({
    title: mail.subject,
    styles: STYLES,
    main: `<p><a href="/dev/mail">All mail</a></p>
<h1>${escapeHtml(mail.subject)}</h1>
<dl>${renderFields(fields)}</dl>
<h2>HTML</h2>
${frame}
<h2>Text</h2>
<pre>${escapeHtml(mail.text)}</pre>`,
  })
}

function readableTime(date: Date): string {
  return `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
