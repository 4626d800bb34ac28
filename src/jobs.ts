import { otpJobs } from './features/otp/cleanup.ts'
import { cleanUpSessions } from './features/sessions/cleanup.ts'
import { userCleanup } from './features/users/cleanup.ts'
import { cleanUpPlatform, rotateSigningKeysWhenDue } from './platform/jobs/cleanup.ts'
import type { JobHandler } from './platform/jobs/queue.ts'
import { mailJobs } from './platform/mail/jobs.ts'

/** Every kind of background work. */
export const jobs: JobHandler[] = [
  ...mailJobs,
  ...otpJobs,
  userCleanup,
  cleanUpSessions,
  cleanUpPlatform,
  rotateSigningKeysWhenDue,
]
