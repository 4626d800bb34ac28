/** What the sign-in pages say about a refusal, by its code. */
const PROBLEMS: Record<string, string> = {
  otp_invalid: 'This code is not right. Check the newest mail.',
  otp_expired: 'This code has expired. Ask for a new one.',
  otp_too_many_attempts: 'Too many wrong codes. Ask for a new one.',
  mfa_code_invalid: 'This code is not right. Wait for the next one in your app.',
  challenge_expired: 'This took too long. Sign in again.',
  discovery_token_invalid: 'This took too long. Sign in again.',
  passkey_invalid: 'This passkey did not work. Use your address instead.',
  rate_limited: 'Too many tries. Wait a few minutes.',
  account_locked: 'Too many tries. Wait a few minutes.',
  user_inactive: 'Your access has ended. Ask your administrator.',
  user_locked: 'Your access is locked. Ask your administrator.',
  organization_suspended: 'Your organization has no access at the moment.',
  sso_required: 'Your organization requires single sign-on. Enter your work address.',
  token_invalid: 'This link no longer works. Ask for a new invitation.',
  token_expired: 'This link has expired. Ask for a new invitation.',
  credential_exists: 'You have joined already. Sign in with your address.',
  invalid_request: 'This is incomplete. Check what you have typed.',
  access_denied: 'The sign-in was cancelled.',
  domain_not_verified: 'Your organization has not verified the domain of your address.',
  account_not_linked: 'Your organization has not given you access yet. Ask your administrator.',
}

export const wordsFor = (code: string) => PROBLEMS[code] ?? 'This did not work. Try again.'
