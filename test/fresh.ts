import { randomUUID } from 'node:crypto'

/** A unique part of a name. */
export function fresh(): string {
  return randomUUID().slice(0, 8)
}

/** An address that no user has yet. */
export function freshEmail(name = 'new'): string {
  return `${name}-${fresh()}@example.com`
}

/** A password that the policy accepts. */
export function freshPassword(): string {
  return `plum-${fresh()}-${fresh()}`
}
