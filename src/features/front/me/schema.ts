import { Type } from 'typebox'
import { UserCreate } from '../../directory/users/users.ts'

const { displayName, firstName, lastName, phone, locale } = UserCreate.properties

export const MePatch = Type.Object({ displayName, firstName, lastName, phone, locale })
