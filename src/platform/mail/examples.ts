/** The reader in examples of mails. */
export const EXAMPLE_READER = { email: 'ada@example.com', locale: null }

export const EXAMPLE_LINK = {
  to: EXAMPLE_READER,
  url: 'https://auth.example.com/auth/link?token=example',
  ttlSeconds: 600,
}

export const EXAMPLE_CODE = { code: 'amber falcon', digitCode: '204618', ttlSeconds: 300 }
