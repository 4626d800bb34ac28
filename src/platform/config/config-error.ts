type Settings = Record<string, string | undefined>

/** An invalid setting. The message is one line that begins with the setting's name and says what to do. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  /**
   * Settings that replace the invalid one, so that the others can be checked. By default, the setting that the message
   * names is left out.
   */
  readonly instead: Settings

  constructor(message: string, instead?: Settings) {
    super(message)
    this.instead = instead ?? { [message.split(' ', 1)[0] ?? '']: undefined }
  }
}
