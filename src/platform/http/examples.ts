/** Examples of a route for the contract, where the generated ones would mislead. */
export interface RouteExamples<Body, Reply> {
  body?: Body
  reply?: Reply
  /** Several examples by name, where one example cannot show every form. */
  bodies?: Readonly<Record<string, Body>>
  replies?: Readonly<Record<string, Reply>>
}
