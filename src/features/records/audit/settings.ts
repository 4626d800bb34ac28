import { Type } from 'typebox'
import { named, nullable } from '../../../platform/schema.ts'
import { defineSettings } from '../../../platform/settings/settings.ts'
import { RETENTION_DAYS } from './retention-store.ts'

const AuditSettings = named(
  'AuditSettings',
  Type.Object(
    {
      retention_days: nullable(
        Type.Integer({ minimum: RETENTION_DAYS.min, maximum: RETENTION_DAYS.max, examples: [730] }),
        'How many days events are kept. Null: as set by the operator (WATCHWORD_EVENT_RETENTION_DAYS).',
      ),
    },
    { description: 'How long the audit log is kept.' },
  ),
)

export const auditSettings = defineSettings(
  'audit_settings',
  'The retention time of the audit log was changed, for an organization or in the defaults of its environment.',
  AuditSettings,
  { retention_days: null },
)

export const AuditSettingsReply = named('AuditSettingsReply', Type.Object({ settings: AuditSettings }))
