export { undoEmailChange, undoEmailEvents } from './undo-email.ts'
