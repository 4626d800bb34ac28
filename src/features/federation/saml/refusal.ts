import { type XmlReason, XmlRefusal } from '../xml/refusal.ts'

/** Why a message of a provider is refused. Shown to administrators in traces; never to a browser. */
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

/** A message of a provider that is not accepted. */
export class SamlRefusal extends XmlRefusal<RefusalReason> {}
