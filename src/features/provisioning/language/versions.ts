/** How often and when a representation changed without a change of the resource's row. Null for never. */
export interface ShownVersion {
  shown_version: number | null
  shown_at: Date | null
}

export const NEVER_SHOWN: ShownVersion = { shown_version: null, shown_at: null }

/** The version of a representation (RFC 7643 §3.1 `meta.version`), a weak entity tag (RFC 9110 §8.8.3). */
export function versionTag({ version, shown_version }: { version: number; shown_version: number | null }): string {
  return shown_version === null ? `W/"${version}"` : `W/"${version}.${shown_version}"`
}

/** `meta.lastModified` (RFC 7643 §3.1). */
export function lastModified({ updated_at, shown_at }: { updated_at: Date; shown_at: Date | null }): string {
  return (shown_at !== null && shown_at > updated_at ? shown_at : updated_at).toISOString()
}
