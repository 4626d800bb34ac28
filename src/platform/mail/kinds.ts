/** Every mail there is. A directory may give each a subject of its own. */
export const MAIL_KINDS = [
  'login_otp',
  'signup_otp',
  'otp',
  'magic_link',
  'password_reset',
  'invite',
  'email_verification',
  'signup_link',
  'account_locked',
  'password_changed',
  'email_changed',
  'mfa_enrolled',
  'mfa_removed',
  'mfa_locked',
  'backup_code_used',
  'passkey_registered',
  'passkey_deleted',
] as const

export type MailKind = (typeof MAIL_KINDS)[number]
