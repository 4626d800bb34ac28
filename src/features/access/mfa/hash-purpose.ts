import { hashPurpose } from '../../../platform/crypto/keyring.ts'

/** The purpose of hashes of challenges, devices, backup codes and codes sent by text message. */
export const mfaHashes = hashPurpose('mfa')
