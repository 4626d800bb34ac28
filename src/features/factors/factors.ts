export { backupCodeFactor, smsFactor, totpFactor } from './second-factors.ts'
