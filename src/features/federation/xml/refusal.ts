/** Why what others wrote in XML is not taken. */
export type XmlReason =
  | 'malformed'
  | 'too_large'
  | 'structure'
  | 'algorithm'
  | 'duplicate_id'
  | 'signature'
  | 'decryption'

/** A document that is not accepted. The message says what was expected, for administrators. */
export class XmlRefusal<R extends string = XmlReason> extends Error {
  readonly reason: R
  constructor(reason: R, detail: string) {
    super(detail)
    this.reason = reason
  }
}
