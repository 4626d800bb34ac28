import { defineEndReasons } from '../../platform/end-reasons.ts'

export const endReasons = defineEndReasons('password_changed')
