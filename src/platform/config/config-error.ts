type Settings = Record<string, string | undefined>

/** An invalid setting, in one line that begins with its name and says what to do. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  /** By which settings the others can be judged all the same: by default without the one that the message begins with. */
  readonly instead: Settings

  constructor(message: string, instead?: Settings) {
    super(message)
    this.instead = instead ?? { [message.split(' ', 1)[0] ?? '']: undefined }
  }
}
