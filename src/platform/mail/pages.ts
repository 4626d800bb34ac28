import type { Page } from '../http/server.ts'
import { isId } from '../ids.ts'
import type { Platform } from '../platform.ts'
import { escapeHtml } from './html.ts'
import { keepsMail } from './outbox.ts'
import { findKeptMail, listKeptMails, type OpenedMail } from './waiting.ts'

const SHOWN = 100
// The mail is shown in a sandboxed frame, which inherits this policy: no scripts, nothing loaded from elsewhere.
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

/**
 * /dev/mail, where development shows the mails it keeps, to this machine alone: they sign people in. In production, or
 * with a mail server, there are none.
 */
export function mailPages(platform: Platform): Page[] {
  if (!keepsMail(platform)) return []
  return [
    {
      path: '/dev/mail',
      localOnly: true,
      contentSecurityPolicy: POLICY,
      render: async () => renderList(await listKeptMails(platform, SHOWN)),
    },
    {
      path: '/dev/mail/:id',
      localOnly: true,
      contentSecurityPolicy: POLICY,
      async render({ id }) {
        const mail = id !== undefined && isId(id) ? await findKeptMail(platform, id) : null
        return mail && renderOne(mail)
      },
    },
  ]
}

const STYLES = `:root{color-scheme:light dark;--page:#f6f7f8;--card:#fff;--ink:#16171a;--soft:#62656d;--line:#e4e5e8;--hover:#f1f2f4}
@media (prefers-color-scheme:dark){:root{--page:#111214;--card:#1c1d20;--ink:#f2f3f5;--soft:#a4a7ae;--line:#303238;--hover:#25272b}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:760px;margin:0 auto;padding:32px 16px 64px}
h1{margin:0 0 4px;font-size:24px;line-height:1.3;overflow-wrap:anywhere}
h2{margin:28px 0 8px;font-size:14px;color:var(--soft)}
p,dl{margin:0 0 20px;color:var(--soft)}
a{color:inherit}
ul{list-style:none;margin:0;padding:0;background:var(--card);border:1px solid var(--line);border-radius:12px;overflow:hidden}
li+li{border-top:1px solid var(--line)}
li a{display:grid;grid-template-columns:1fr auto;gap:2px 16px;padding:12px 16px;text-decoration:none}
li a:hover,li a:focus-visible{background:var(--hover)}
li strong{font-weight:600;overflow-wrap:anywhere}
li span{grid-column:1/-1;color:var(--soft);overflow-wrap:anywhere}
time{color:var(--soft);font-variant-numeric:tabular-nums;white-space:nowrap}
dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 16px}
dd{margin:0;color:var(--ink);overflow-wrap:anywhere}
pre,iframe{display:block;width:100%;margin:0;background:var(--card);border:1px solid var(--line);border-radius:12px}
pre{padding:16px;font:14px/1.5 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}
iframe{height:600px}
@media (max-width:560px){li a{grid-template-columns:1fr}}`

function renderList(mails: OpenedMail[]): string {
  const rows = mails.map(
    (mail) => `<li><a href="/dev/mail/${mail.id}"><strong>${escapeHtml(mail.subject)}</strong>
<time datetime="${mail.createdAt.toISOString()}">${readableTime(mail.createdAt)}</time><span>${escapeHtml(mail.to)}</span></a></li>`,
  )
  const list = rows.length > 0 ? `<ul>${rows.join('\n')}</ul>` : '<p>No mail yet.</p>'
  return renderPage(
    'Mail',
    `<h1>Mail</h1>
<p>SMTP_URL is not set: mails are kept here instead of being sent. This list refreshes every 5 seconds.</p>
${list}`,
    '<meta http-equiv="refresh" content="5">',
  )
}

function renderOne(mail: OpenedMail): string {
  const fields = [
    ['To', mail.to],
    ['Kind', mail.kind],
    ['Created', readableTime(mail.createdAt)],
  ]
  const list = fields.map(([name = '', value = '']) => `<dt>${name}</dt><dd>${escapeHtml(value)}</dd>`).join('\n')
  // Links open in a tab of their own; scripts, forms and the page around it are out of reach.
  const frame = `<iframe title="The mail as HTML" sandbox="allow-popups allow-popups-to-escape-sandbox" srcdoc="${escapeHtml(mail.html.replace('<head>', '<head><base target="_blank">'))}"></iframe>`
  return renderPage(
    mail.subject,
    `<p><a href="/dev/mail">All mail</a></p>
<h1>${escapeHtml(mail.subject)}</h1>
<dl>${list}</dl>
<h2>HTML</h2>
${frame}
<h2>Text</h2>
<pre>${escapeHtml(mail.text)}</pre>`,
  )
}

function renderPage(title: string, body: string, head = ''): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">${head}
<title>${escapeHtml(title)}</title>
<style>${STYLES}</style>
</head>
<body><main>
${body}
</main></body>
</html>
`
}

function readableTime(date: Date): string {
  return `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
