import ofTests from './vitest.config.ts'

// What must be installed or built first takes too long for `npm test`.
export default { ...ofTests, test: { ...ofTests.test, include: ['test/longer/*.check.ts'] } }
