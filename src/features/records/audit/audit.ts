export { newestEventsOf } from './read.ts'
