import type { SocialName } from '../../../platform/config/config-social.ts'
import { apple } from './apple.ts'
import type { Dialect } from './dialect.ts'
import { github } from './github.ts'
import { google } from './google.ts'
import { microsoft } from './microsoft.ts'

export const dialects: Readonly<Record<SocialName, Dialect>> = { google, github, apple, microsoft }
