import { createHash, hkdfSync, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Config, ConfigError } from '../config/config.ts'

/** A key-encryption key, which only wraps data keys. */
export interface MasterKey {
  /** Identifies the key in the rows that it wrapped. Reveals nothing about the key. */
  id: string
  wrapKey: Buffer
}

/**
 * Loads the deployment's master keys, the one that wraps first. Throws ConfigError if there is none or one is invalid.
 */
export function loadMasterKeys(config: Config): MasterKey[] {
  if (config.masterKeys.length) return config.masterKeys.map((text) => parseMasterKey(text, 'WATCHWORD_MASTER_KEY'))
  const file = masterKeyFile(config)
  if (!file)
    throw new ConfigError(
      'WATCHWORD_MASTER_KEY is missing: create one with `openssl rand -base64 32`, keep a copy in a safe place, and set it.',
    )
  if (!existsSync(file)) throw new ConfigError(`WATCHWORD_MASTER_KEY_FILE names ${file}, which does not exist.`)
  const texts = readFileSync(file, 'utf8')
    .split(/[\s,]+/)
    .filter(Boolean)
  if (!texts.length) throw new ConfigError(`${file} has no master key: write 32 bytes as base64 into it.`)
  return texts.map((text) => parseMasterKey(text, file))
}

/**
 * Loads the master keys. In development, the first use creates the key file, outside the data directory. Throws
 * ConfigError instead of creating a key if the database is already sealed with another key (`readSealingKeyId`),
 * because no later start would work.
 */
export async function provideMasterKeys(
  config: Config,
  readSealingKeyId: () => Promise<string | null>,
  notice: (line: string) => void,
): Promise<MasterKey[]> {
  const missing = missingDevelopmentKey(config)
  if (missing) {
    const sealedWith = await readSealingKeyId()
    if (sealedWith)
      throw new ConfigError(
        `The database is sealed with master key ${sealedWith}, and ${missing}, where development keeps it, is missing: ` +
          'restore that file or set WATCHWORD_MASTER_KEY; or, to begin anew, use an empty database (`npm run reset` makes one of an embedded one).',
      )
    mkdirSync(dirname(missing), { recursive: true, mode: 0o700 })
    writeFileSync(missing, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx' })
    notice(`Created a master key for development: ${missing}. Without it the secrets in the database are lost.`)
  }
  return loadMasterKeys(config)
}

/** The key file that development will create at its first start, or null if the file exists. */
export function missingDevelopmentKey(config: Config): string | null {
  const file = config.production || config.masterKeys.length ? null : masterKeyFile(config)
  return file && !existsSync(file) ? file : null
}

function masterKeyFile(config: Config): string | null {
  return config.masterKeyFile ?? (config.production ? null : resolve(dirname(config.dataDir), 'master.key'))
}

/** Reads one master key. Throws ConfigError unless it is 32 random-looking bytes as base64. */
export function parseMasterKey(text: string, source: string): MasterKey {
  const bytes = Buffer.from(text, 'base64')
  const remedy = 'create one with `openssl rand -base64 32`.'
  if (bytes.length !== 32 || bytes.toString('base64').replace(/=+$/, '') !== text.replace(/=+$/, ''))
    throw new ConfigError(`${source} has a master key that is not 32 bytes as base64: ${remedy}`)
  if (new Set(bytes).size < 12) throw new ConfigError(`${source} has a master key that is not random: ${remedy}`)
  const derive = (info: string) => Buffer.from(hkdfSync('sha256', bytes, '', `watchword/${info}`, 32))
  const id = createHash('sha256').update(derive('master-key-id')).digest('hex').slice(0, 16)
  return { id, wrapKey: derive('wrap') }
}
