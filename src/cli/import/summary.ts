import { tableLines } from '../print.ts'
import type { Counts, OrganizationCounts } from './checkpoint.ts'

const MAX_SHOWN = 50

/** The summary of an import as text. */
export function summaryLines(
  counts: Counts,
  run: {
    dryRun: boolean
    where: string
    seconds: number
    reportFile: string | null
    organizations: OrganizationCounts[]
  },
): string[] {
  const { rows, created, existed, duplicates, leftOut, failed, withoutPassword, reasons } = counts
  const verb = run.dryRun ? 'Checked' : 'Imported'
  const line = (label: string, count: number, always = false) => (count || always ? [[label, String(count)]] : [])
  const parts = [
    ...line(run.dryRun ? 'would be created' : 'created', created, true),
    ...line('  without their password', withoutPassword),
    ...line('already existed', existed),
    ...line('duplicate in the file', duplicates),
    ...line('left out', leftOut),
    ...line('failed', failed, true),
    ...Object.entries(reasons).flatMap(([reason, count]) => line(`  ${reason}`, count)),
  ]
  const width = Math.max(...parts.map(([label = '']) => label.length))
  return [
    `${verb} ${rows} rows into ${run.where} in ${run.seconds.toFixed(1)} s.`,
    ...parts.map(([label = '', count = '']) => `  ${label.padEnd(width)}  ${count.padStart(9)}`),
    ...organizationLines(run.organizations),
    ...(run.reportFile ? [`Every row that was not imported completely is in ${run.reportFile}.`] : []),
  ]
}

function organizationLines(all: OrganizationCounts[]): string[] {
  if (!all.length) return []
  const heading = ['ORGANIZATION', 'CREATED', 'EXISTED', 'DUPLICATE', 'FAILED', '']
  const rows = all.slice(0, MAX_SHOWN).map(({ slug, isNew, created, existed, duplicates, failed }) => {
    return [slug, ...[created, existed, duplicates, failed].map(String), isNew ? 'new' : '']
  })
  const more = all.length - rows.length
  return [...tableLines(heading, rows), ...(more ? [`and ${more} more, which --json lists.`] : [])]
}
