import { type XmlReason, XmlRefusal } from '../xml/refusal.ts'

/** Why a provider's message is refused. Administrators see the reason in traces; browsers never get it. */
export type RefusalReason =
  | XmlReason
  | 'status'
  | 'denied'
  | 'not_signed'
  | 'not_encrypted'
  | 'issuer'
  | 'destination'
  | 'in_response_to'
  | 'subject'
  | 'confirmation'
  | 'recipient'
  | 'audience'
  | 'conditions'
  | 'expired'
  | 'not_yet_valid'
  | 'no_sign_in'
  | 'not_again'
  | 'replayed'

/** A provider's message was refused. */
export class SamlRefusal extends XmlRefusal<RefusalReason> {}
