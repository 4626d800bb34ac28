import type { Samples } from '../../../../test/walkers/samples.ts'

export const samples: Samples = {
  'GET /v1/users/{userId}/export': ({ ids }) => ({ params: { userId: ids.user } }),
}
