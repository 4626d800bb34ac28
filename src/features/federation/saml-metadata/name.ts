import { nameIdFormats } from '../xml/saml-names.ts'
import type { NameId } from './messages.ts'

/** Sender and receiver. They replace the qualifiers that a name omits (SAML core §8.3.7). */
interface Parties {
  idpEntityId: string
  spEntityId: string
}

/** The parts of a name that are compared with the name in a logout. */
export function partsOfName({ format, ...name }: NameId, parties: Parties): string[] {
  return parts(format ?? nameIdFormats.unspecified, name, parties)
}

/**
 * The names of sign-ins that match the name in a logout. Providers may leave the format unspecified (SAML core §8.3.1).
 * An unspecified format matches every format.
 */
export function namesOfLogout({ format, ...name }: NameId, parties: Parties): string[][] {
  const given = format ?? nameIdFormats.unspecified
  const formats =
    given === nameIdFormats.unspecified ? Object.values(nameIdFormats) : [given, nameIdFormats.unspecified]
  return formats.map((each) => parts(each, name, parties))
}

function parts(
  format: string,
  { value, nameQualifier, spNameQualifier }: Omit<NameId, 'format'>,
  { idpEntityId, spEntityId }: Parties,
): string[] {
  const unless = (usual: string, qualifier: string | null) => (qualifier === usual ? '' : (qualifier ?? ''))
  return [format, unless(idpEntityId, nameQualifier), unless(spEntityId, spNameQualifier), value]
}
