export { type SetupFacts, setupFacts } from './checklist.ts'
