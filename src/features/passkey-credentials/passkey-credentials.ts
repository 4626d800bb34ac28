export {
  type CeremonyRow,
  spendCeremony,
  startCeremony,
} from './ceremony-store.ts'
export {
  deletePasskey,
  findPasskey,
  findPasskeyByCredential,
  insertPasskey,
  listPasskeys,
  listPasskeysOfAddress,
  type NewPasskey,
  type OwnedPasskey,
  type PasskeyRow,
  passkeyProof,
} from './store.ts'
