import { type Static, type TObject, type TProperties, Type } from 'typebox'
import type { Scope } from '../../contract/contract.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { Work } from '../work.ts'
import { accountDefaults, type SettingSource, type Settings, SettingsSources } from './settings.ts'

interface About {
  path: `/v1/${string}`
  summary: string
  description?: string
}

type Values<R extends TProperties> = Static<TObject<R>> & Record<PropertyKey, unknown>

/** The routes of a settings family: their paths and names, and how the family is read and changed. */
interface SettingsRoutes<R extends TProperties> {
  tag: string
  /**
   * The noun in the operations, such as `auth` in `auth.getSettings`, `auth.updateSettings` and `auth.updateDefaults`.
   */
  noun: string
  scopes: { read: Scope; write: Scope }
  /** `GET`. Unless it has its own reply, it returns what a change returns, and the source of each value. */
  get: About & { query?: TObject; reply?: TObject }
  /** Texts of the operation that changes a directory's own settings. */
  update: About
  /** Texts of the operation that changes an environment's defaults (`PATCH …/defaults`). */
  updateDefaults: About
  body: TObject
  reply: TObject<R>
  examples: { body: Record<string, unknown>; reply: Values<R>; sources: Record<string, SettingSource> }
  read(work: Work): Promise<Values<R>>
  change(work: Work, patch: Record<string, unknown>): Promise<Values<R>>
}

const Effective = Type.Object({
  effective: Type.Optional(
    Type.Boolean({ description: 'Adds `sources`: where each value comes from. Default `false`.' }),
  ),
})

/** Declares the three routes that every settings family has. */
export function settingsRoutes<P extends TProperties, R extends TProperties>(
  family: Pick<Settings<P>, 'sources' | 'events' | 'entailed'>,
  spec: SettingsRoutes<R>,
): Route[] {
  const { tag, noun, scopes, examples } = spec
  const Read: TObject = Type.Object({ ...spec.reply.properties, sources: Type.Optional(SettingsSources) })
  const reply: TObject = spec.reply
  const change = {
    method: 'PATCH',
    scope: scopes.write,
    tag,
    body: spec.body,
    reply,
    event: family.events.updated,
    maybeEvents: family.entailed,
    examples: { body: examples.body, reply: examples.reply },
  } as const
  return [
    defineRoute({
      method: 'GET',
      operation: `${noun}.getSettings`,
      scope: scopes.read,
      tag,
      description:
        'Without subOrgId, an org-wide key (not limited to one organization) reads the defaults that the organizations of its environment inherit.',
      query: Effective,
      reply: Read,
      ...spec.get,
      examples: { reply: { ...examples.reply, sources: examples.sources } },
      handle: async (work, { query }) => {
        const values: Record<PropertyKey, unknown> = await spec.read(work)
        return query['effective'] ? { ...values, sources: await family.sources(work) } : values
      },
    }),
    defineRoute({
      ...change,
      operation: `${noun}.updateSettings`,
      description:
        'null resets a field to the inherited value. If null is also a valid value of a field, it therefore cannot replace an inherited value.',
      ...spec.update,
      handle: (work, { body }) => spec.change(work, body),
    }),
    defineRoute({
      ...change,
      operation: `${noun}.updateDefaults`,
      directory: 'account',
      writes: 'own-environment',
      description:
        'Requires an org-wide key (not limited to one organization). null resets a field to the default of the service.',
      ...spec.updateDefaults,
      handle: (work, { body }) => spec.change({ ...work, directory: accountDefaults(work.account).directory }, body),
    }),
  ]
}
