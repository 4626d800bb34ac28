/** Examples of a route for the contract, where the composed ones would mislead. */
export interface RouteExamples<Body, Reply> {
  body?: Body
  reply?: Reply
  /** Several by name, where one cannot show what there is. */
  bodies?: Readonly<Record<string, Body>>
  replies?: Readonly<Record<string, Reply>>
}
