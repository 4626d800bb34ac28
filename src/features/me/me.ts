export { confirmEmailChange } from './email.ts'
export { undoEmailChange, undoEmailEvents } from './undo-email.ts'
