export { disownSignIn } from './disown.ts'
export { deviceEvents } from './events.ts'
