import type { JobHandler } from './platform/jobs/queue.ts'

/** Every kind of background work. */
export const jobs: JobHandler[] = []
