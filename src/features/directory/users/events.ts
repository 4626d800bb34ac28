import { defineEvents } from '../../../platform/events/events.ts'
import { User } from './schema.ts'

const inactive = { active: false, status: 'inactive' }
const locked = {
  status: 'locked',
  lock: {
    cause: 'administrator',
    reason: 'Laptop stolen, ticket 4711',
    lockedAt: '2026-11-27T09:30:00.000Z',
    until: null,
  },
}

export const userEvents = defineEvents({
  created: ['user.created', 'A user was created: by the API, an import, an invitation or a sign-up.', User],
  updated: ['user.updated', 'Fields of a user were changed.', User],
  activated: ['user.activated', 'A deactivated user was reactivated and may sign in again.', User],
  deactivated: [
    'user.deactivated',
    'A user was deactivated and may no longer sign in. Every session ended.',
    User,
    inactive,
  ],
  deleted: [
    'user.deleted',
    'A user was deleted, or a sign-up expired without proof of the mailbox. The address is free again.',
    User,
  ],
  restored: ['user.restored', 'A deleted user was restored.', User],
  moved: ['user.moved', 'A user was moved to another organization. The event is recorded in both organizations.', User],
  locked: [
    'user.locked',
    'A user was locked by an administrator or by failed attempts. `data.lock` has the cause, the reason and the end.',
    User,
    locked,
  ],
  unlocked: [
    'user.unlocked',
    'The lock of a user was ended early. `previous.lock` is the lock that ended. The event is not recorded when a lock expires.',
    User,
  ],
  emailVerified: [
    'user.email_verified',
    'A user proved the mailbox for the first time. `data` shows the user at that moment. Fields that the same sign-in sets later, such as `userId`, are in the event `session.created`.',
    User,
  ],
})
