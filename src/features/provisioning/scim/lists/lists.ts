export { findPage, listErrors } from './find-page.ts'
export {
  type List,
  type ListRequest,
  listQuery,
  pageOf,
  readList,
  searchBody,
  selectionQuery,
  toList,
  toPage,
} from './list.ts'
