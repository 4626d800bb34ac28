import type { SourceHash } from './person.ts'

/** Builds the PHC string to import from the parts of a scrypt hash. `cost` is N. */
export function scryptHash(parts: {
  cost: number
  blockSize: number
  parallelism: number
  salt: Buffer
  hash: Buffer
}): SourceHash {
  const { cost, blockSize, parallelism, salt, hash } = parts
  const parameters = `ln=${Math.log2(cost)},r=${blockSize},p=${parallelism}`
  return { type: 'scrypt', text: `$scrypt$${parameters}$${salt.toString('base64')}$${hash.toString('base64')}` }
}

/** Builds the same for PBKDF2. Salt and hash are base64, and `digest` is a name such as `sha256`. */
export function pbkdf2Hash(digest: string, iterations: number | string, salt: string, hash: string): SourceHash {
  return { type: 'pbkdf2', text: `$pbkdf2-${digest}$i=${iterations}$${salt}$${hash}` }
}

/** The parameters that all hashes of a Firebase project share: its `hash_config`, in base64. */
export interface FirebaseHashConfig {
  signerKey: string
  saltSeparator: string
  rounds: string
  memCost: string
}

export function firebaseHash(config: FirebaseHashConfig, salt: string, hash: string): SourceHash {
  const { signerKey, saltSeparator, rounds, memCost } = config
  const parameters = `mem_cost=${memCost},rounds=${rounds},salt_separator=${saltSeparator},signer_key=${signerKey}`
  return { type: 'firebase-scrypt', text: `$firebase-scrypt$${parameters}$${salt}$${hash}` }
}
