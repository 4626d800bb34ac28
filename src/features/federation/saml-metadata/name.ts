import { nameIdFormats } from '../xml/saml-names.ts'
import type { NameId } from './messages.ts'

/** Sender and receiver. They replace the qualifiers that a name omits (SAML core §8.3.7). */
interface Parties {
  idpEntityId: string
  spEntityId: string
}

/** The parts of a name by which it is compared with that of a logout. */
export function partsOfName({ format, ...name }: NameId, parties: Parties): string[] {
  return parts(format ?? nameIdFormats.unspecified, name, parties)
}

/**
 * The names of sign-ins that the one of a logout stands for. Providers are not equally particular about formats: one that
 * is left open, which leaves its meaning to each (SAML core §8.3.1), fits any.
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
