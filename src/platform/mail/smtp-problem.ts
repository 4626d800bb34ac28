import { readErrorField } from '../errors.ts'

/** The server does not offer STARTTLS, although credentials need an encrypted connection. */
const NO_STARTTLS = 'NO_STARTTLS'
/** The server sends nothing, for example because it waits for TLS. */
const NO_GREETING = 'NO_GREETING'

/**
 * Returns a code for a failed connection to the mail server. It is the code of the cause if nodemailer's own code
 * covers several causes.
 */
export function codeOfSmtpError(error: unknown): string {
  const code = readErrorField(error, 'originalCode') ?? readErrorField(error, 'code')
  if (readErrorField(error, 'command') === 'STARTTLS') return NO_STARTTLS
  if (readErrorField(error, 'timeoutType') === 'GREETING_TIMEOUT') return NO_GREETING
  return typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? code : 'EUNKNOWN'
}

/** What an operator should do about a code, as a sentence after the server's name. */
export function cureOfSmtpCode(code: string): string {
  switch (code) {
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return 'has a certificate that this machine does not trust: set NODE_EXTRA_CA_CERTS to a file with its CA'
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return 'has a certificate for another name: use the name in the certificate'
    case 'CERT_HAS_EXPIRED':
      return 'has a certificate that has expired: renew it'
    case NO_STARTTLS:
      return 'offers no STARTTLS, and a user name and password are sent encrypted only: use its TLS port, or remove them'
    case NO_GREETING:
      return 'sends no greeting: if it expects TLS from the first byte, as on port 465, use smtps://'
    case 'ECONNREFUSED':
      return 'refuses the connection: start it, or correct host and port'
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EDNS':
      return 'has no address in the DNS: correct the host'
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return 'does not answer: correct host and port, or open the firewall'
    case 'SMTP_535':
      return 'refuses the user name or password'
    default:
      return code.startsWith('ERR_SSL_')
        ? 'does not speak TLS from the first byte: use smtp://, which changes to TLS by STARTTLS'
        : 'does not accept mail: check host, port and password'
  }
}
