export { handOverPage } from './handover.ts'
export {
  buttonPage,
  type LinkPage,
  type LiveLink,
  linkFields,
  linkHome,
  type ShownLink,
  type View,
} from './link-page.ts'
