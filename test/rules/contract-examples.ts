import type { routes } from '../../src/wiring/routes.ts'
import { documents } from './contract.ts'

/** The examples of a media type by name. */
export function examplesOf(media: object): [name: string, example: unknown][] {
  const { example, examples } = Object(media)
  if (example !== undefined) return [['example', example]]
  return Object.entries(Object(examples)).map(([name, item]) => [name, Object(item).value])
}

/** The examples of a route's body in the contract. */
export function bodyExamplesOf(route: (typeof routes)[number]): [name: string, example: unknown][] {
  const operations = documents.flatMap(({ paths }) => Object.values(paths[route.path] ?? {}))
  const found = operations.find((each) => Object(each).operationId === route.operation)
  const content: Record<string, object> = Object(Object(found).requestBody?.content)
  return Object.values(content).flatMap(examplesOf)
}
