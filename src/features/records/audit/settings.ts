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
        'How many days events are kept; null for WATCHWORD_EVENT_RETENTION_DAYS.',
      ),
    },
    { description: 'How long the audit log is kept.' },
  ),
)

export const auditSettings = defineSettings(
  'audit_settings',
  'How long the audit log of an organization is kept, or the default of its environment, was changed.',
  AuditSettings,
  { retention_days: null },
)

export const AuditSettingsReply = named('AuditSettingsReply', Type.Object({ settings: AuditSettings }))
