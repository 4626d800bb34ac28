/** An invalid setting, in one line that says what to do. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}
