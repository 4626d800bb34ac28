import { renderDocument } from '../http/page-layout.ts'
import { definePage } from '../http/pages.ts'
import type { Route } from '../http/route.ts'
import { isId } from '../ids.ts'
import type { Platform } from '../platform.ts'
import { findKeptSms, listKeptSms, type OpenedSms, smsOutbox } from '../sms/outbox.ts'
import { escapeHtml } from './html.ts'
import { keepsMail } from './outbox.ts'
import { type Sender, senderOf } from './sender.ts'
import { findKeptMail, listKeptMails, type OpenedMail } from './waiting.ts'

const SHOWN = 100
// The mail is shown in a sandboxed frame, which inherits this policy: no scripts, nothing external but a logo.
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data: https:; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

/**
 * /dev/mail, where development shows the mails and text messages it keeps, to this machine only: they sign people in.
 * There are none in production, or with both a mail server and an SMS provider.
 */
export const mailPages: Route[] = [
  ...definePage({
    path: '/dev/mail',
    summary: 'Emails kept in development',
    localOnly: true,
    contentSecurityPolicy: POLICY,
    async render({ platform }) {
      if (!keepsMessages(platform)) return null
      return renderList(await listKeptMails(platform, SHOWN), await listKeptSms(platform, SHOWN))
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
li a{display:grid;grid-template-columns:1fr auto;gap:2px 16px;padding:12px 16px;text-decoration:none}
li a:hover,li a:focus-visible{background:var(--hover)}
li strong{font-weight:600;overflow-wrap:anywhere}
li span{grid-column:1/-1;color:var(--soft);overflow-wrap:anywhere}
b{padding:1px 6px;border-radius:6px;background:var(--mark);font-size:12px}
time{color:var(--soft);font-variant-numeric:tabular-nums;white-space:nowrap}
dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 16px}
dd{margin:0;color:var(--ink);overflow-wrap:anywhere}
pre,iframe{display:block;width:100%;margin:0;background:var(--card);border:1px solid var(--line);border-radius:12px}
pre{padding:16px;white-space:pre-wrap;overflow-wrap:anywhere}
iframe{height:600px}
@media (max-width:560px){li a{grid-template-columns:1fr}}`

function renderList(mails: OpenedMail[], texts: OpenedSms[]): string {
  const rows = [...mails, ...texts]
    .sort((one, other) => other.createdAt.getTime() - one.createdAt.getTime() || other.id.localeCompare(one.id))
    .slice(0, SHOWN)
    .map(renderRow)
  const list = rows.length > 0 ? `<ul>${rows.join('\n')}</ul>` : '<p>No email yet.</p>'
  return renderDocument({
    title: 'Mail',
    styles: STYLES,
    head: '<meta http-equiv="refresh" content="5">',
    main: `<h1>Mail</h1>
<p>Without SMTP_URL, emails are kept here instead of being sent; without WATCHWORD_SMS_URL, so are text messages. This list refreshes every 5 seconds.</p>
${list}`,
  })
}

function renderRow(message: OpenedMail | OpenedSms): string {
  const { id, to, createdAt } = message
  const title = 'subject' in message ? escapeHtml(message.subject) : 'Text message <b>SMS</b>'
  return `<li><a href="/dev/mail/${id}"><strong>${title}</strong>
<time datetime="${createdAt.toISOString()}">${readableTime(createdAt)}</time><span>${escapeHtml(to)}</span></a></li>`
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
  // Links open in a new tab; scripts, forms and the surrounding page are out of reach.
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
