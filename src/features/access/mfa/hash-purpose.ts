import { hashPurpose } from '../../../platform/crypto/keyring.ts'

/** For challenges, devices, backup codes and codes sent by text message. */
export const mfaHashes = hashPurpose('mfa')
