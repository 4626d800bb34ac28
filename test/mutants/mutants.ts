import { access } from './access.ts'
import { directory } from './directory.ts'
import { federation } from './federation.ts'
import { front } from './front.ts'
import { mail } from './mail.ts'
import type { Mutant } from './mutant.ts'
import { oauth } from './oauth.ts'
import { platform } from './platform.ts'
import { provisioning } from './provisioning.ts'
import { records } from './records.ts'
import { signIn } from './sign-in.ts'
import { tenancy } from './tenancy.ts'

/** The defenses by the part of `src` that contains them. */
export const lists: Record<string, Mutant[]> = {
  directory,
  access,
  'sign-in': signIn,
  federation,
  provisioning,
  tenancy,
  records,
  oauth,
  front,
  platform,
  mail,
}

/** Every defense that `run.ts` removes. */
export const mutants: Mutant[] = Object.values(lists).flat()
