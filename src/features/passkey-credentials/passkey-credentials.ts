export {
  type CeremonyRow,
  spendCeremony,
  startCeremony,
  voidCeremonies,
} from './ceremony-store.ts'
export {
  deletePasskey,
  findPasskey,
  findPasskeyByCredential,
  insertPasskey,
  listPasskeys,
  listPasskeysOfAddress,
  movePasskeys,
  type NewPasskey,
  type OwnedPasskey,
  type PasskeyRow,
  removePasskeys,
  usePasskey,
} from './store.ts'
