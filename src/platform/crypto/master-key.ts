import { createHash, hkdfSync, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Config, ConfigError } from '../config.ts'

/** A key-encryption key: it only wraps data keys. */
export interface MasterKey {
  /** Identifies the key in the rows it wrapped; reveals nothing about it. */
  id: string
  wrapKey: Buffer
}

/**
 * The deployment's master keys, the one that wraps first. Development creates a file outside the data directory on
 * first use; production refuses to start without a key.
 */
export function loadMasterKeys(config: Config, notice: (line: string) => void): MasterKey[] {
  if (config.masterKeys.length) return config.masterKeys.map((text) => parseMasterKey(text, 'WATCHWORD_MASTER_KEY'))
  const file = config.masterKeyFile ?? (config.production ? null : resolve(dirname(config.dataDir), 'master.key'))
  if (!file)
    throw new ConfigError(
      'WATCHWORD_MASTER_KEY is missing: create one with `openssl rand -base64 32`, keep a copy in a safe place, and set it.',
    )
  if (!existsSync(file)) {
    if (config.production) throw new ConfigError(`WATCHWORD_MASTER_KEY_FILE names ${file}, which does not exist.`)
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx' })
    notice(`Created a master key for development: ${file}. Without it the secrets in the database are lost.`)
  }
  const texts = readFileSync(file, 'utf8')
    .split(/[\s,]+/)
    .filter(Boolean)
  if (!texts.length) throw new ConfigError(`${file} has no master key: write 32 bytes as base64 into it.`)
  return texts.map((text) => parseMasterKey(text, file))
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
