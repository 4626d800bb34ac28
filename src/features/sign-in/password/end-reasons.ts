import { defineEndReasons } from '../../../platform/lifecycle/end-reasons.ts'

export const endReasons = defineEndReasons('password_changed')
