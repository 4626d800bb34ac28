/** Why an XML document from another party is refused. */
export type XmlReason =
  | 'malformed'
  | 'too_large'
  | 'structure'
  | 'algorithm'
  | 'duplicate_id'
  | 'signature'
  | 'decryption'

/** A document was refused. The message explains to administrators what was expected. */
export class XmlRefusal<R extends string = XmlReason> extends Error {
  readonly reason: R
  constructor(reason: R, detail: string) {
    super(detail)
    this.reason = reason
  }
}
