export { factorEvents } from './events.ts'
export { backupCodeFactor, smsFactor, totpFactor } from './second-factors.ts'
