import { fresh } from '../../../test/fresh.ts'
import type { Samples } from '../../../test/samples.ts'

export const samples: Samples = {
  'GET /v1/environments': () => ({}),
  'POST /v1/environments': () => ({ body: { name: 'Preview', slug: `preview-${fresh()}` } }),
}
