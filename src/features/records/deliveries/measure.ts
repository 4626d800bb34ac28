import { sql } from 'kysely'
import type { Platform } from '../../../platform/platform.ts'

/** Updates the webhook gauges. Each process that is scraped does this itself. */
export async function measureWebhooks({ db, metrics }: Platform): Promise<void> {
  const { rows } = await sql<{ seconds: number; troubled: number; disabled: number }>`
    select coalesce((select extract(epoch from clock_now() - min(wake_at)) from webhook_queues
        where troubled = false and wake_at <= clock_now()), 0)::float8 as seconds,
      (select count(*) from webhook_queues where troubled = true and wake_at is not null)::int as troubled,
      (select count(*) from webhooks where disabled_reason in ('failing', 'gone'))::int as disabled`.execute(db)
  const [found] = rows
  if (!found) return
  metrics.webhooks.oldestWaiting.set(found.seconds)
  metrics.webhooks.troubled.set(found.troubled)
  metrics.webhooks.disabled.set(found.disabled)
}
