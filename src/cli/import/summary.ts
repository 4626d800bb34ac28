import type { Counts } from './checkpoint.ts'

/** The summary of an import in words. */
export function summaryLines(
  counts: Counts,
  run: { dryRun: boolean; where: string; seconds: number; reportFile: string | null },
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
    ...(run.reportFile ? [`Every row that was not imported completely is in ${run.reportFile}.`] : []),
  ]
}
