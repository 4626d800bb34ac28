/** A delivery status notification as a mail server sends it (RFC 3464). */
export function deliveryStatus(options: {
  to: string
  messageId: string
  status?: string
  action?: string
  originalRecipient?: string
  diagnostic?: string
}): string {
  const { to, messageId, status = '5.1.1', action = 'failed', originalRecipient, diagnostic } = options
  return [
    'From: MAILER-DAEMON@mx.example',
    'To: login@acme.example',
    'Subject: Undelivered Mail Returned to Sender',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b1"',
    '',
    '--b1',
    'Content-Type: text/plain; charset=us-ascii',
    '',
    `I'm sorry: ${to} could not be reached.`,
    '',
    '--b1',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.example',
    '',
    ...(originalRecipient === undefined ? [] : [`Original-Recipient: rfc822;${originalRecipient}`]),
    `Final-Recipient: rfc822; ${to}`,
    `Action: ${action}`,
    `Status: ${status}`,
    ...(diagnostic === undefined ? [] : [`Diagnostic-Code: smtp; ${diagnostic}`]),
    '',
    '--b1',
    'Content-Type: text/rfc822-headers',
    '',
    `Message-ID: ${messageId}`,
    `To: ${to}`,
    'Subject: Your sign-in code',
    '',
    '--b1--',
    '',
  ].join('\r\n')
}

/** A complaint as a mailbox provider sends it (RFC 5965). */
export function complaint(options: { to: string; messageId: string; type?: string; named?: string[] }): string {
  const { to, messageId, type = 'abuse', named = [] } = options
  return [
    'From: feedback@provider.example',
    'Content-Type: multipart/report; report-type=feedback-report; boundary="b2"',
    '',
    '--b2',
    'Content-Type: text/plain',
    '',
    'This is a report.',
    '--b2',
    'Content-Type: message/feedback-report',
    '',
    `Feedback-Type: ${type}`,
    'User-Agent: Provider/1.0',
    'Version: 1',
    ...named.map((address) => `Original-Rcpt-To: <${address}>`),
    '',
    '--b2',
    'Content-Type: message/rfc822',
    '',
    `Message-ID: ${messageId}`,
    `To: ${to}`,
    '',
    'Your code',
    '--b2--',
    '',
  ].join('\r\n')
}
