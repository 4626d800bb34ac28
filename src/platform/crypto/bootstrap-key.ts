import { ConfigError } from '../config/config-error.ts'
import { isDamaged, isPresentable } from './api-key.ts'

/** Throws ConfigError for an operator's key that no request could send. */
export function assertBootstrapKey(key: string): void {
  if (isDamaged(key))
    throw new ConfigError(
      'WATCHWORD_BOOTSTRAP_API_KEY looks like a Watchword key but is mistyped or truncated: its checksum does not match. Copy the whole key again, or create another (openssl rand -hex 32).',
    )
  if (!isPresentable(key))
    throw new ConfigError(
      'WATCHWORD_BOOTSTRAP_API_KEY cannot be sent in a header: use 32 to 200 visible ASCII characters (openssl rand -hex 32).',
    )
}
