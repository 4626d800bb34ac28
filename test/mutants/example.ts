import type { Mutant } from './mutant.ts'

const EXAMPLE = 'test/process/express-example.test.ts'

/** What others copy out of the example application. */
export const example: Mutant[] = [
  {
    name: 'what is refused of the key of the example is nothing of the person',
    file: 'examples/express/watchword.ts',
    find: 'if (error instanceof Refusal && /^(api_key_',
    replace: 'if (!error && /^(api_key_',
    tests: [EXAMPLE],
  },
  {
    name: 'the example tells from what program a person comes',
    file: 'examples/express/watchword.ts',
    find: "...(userAgent ? { 'x-end-user-agent': userAgent } : {}),",
    replace: '',
    tests: [EXAMPLE],
  },
  {
    name: 'the example tells who refreshes',
    file: 'examples/express/session.ts',
    find: "callFor<Answer>(req, '/auth/token/refresh', body)",
    replace: "callAsBackend<Answer>('POST', '/auth/token/refresh', body)",
    tests: [EXAMPLE],
  },
  {
    name: 'only a code that says so ends a session of the example',
    file: 'examples/express/session.ts',
    find: 'if (error instanceof Refusal && OVER.includes(error.problem.code)) forget(res)',
    replace: 'forget(res)',
    tests: [EXAMPLE],
  },
  {
    name: 'a session of the example that is over leaves no cookie',
    file: 'examples/express/session.ts',
    find: 'if (error instanceof Refusal && OVER.includes(error.problem.code)) forget(res)',
    replace: '',
    tests: [EXAMPLE],
  },
  {
    name: 'whoever signs out of the example is forgotten whatever the service says',
    file: 'examples/express/server.ts',
    find: '  } finally {\n',
    replace: '  } catch (error) {\n    throw error\n  }\n  {\n',
    tests: [EXAMPLE],
  },
  {
    name: 'no other host sets a cookie of the example',
    file: 'examples/express/session.ts',
    find: '(secure ? `__Host-${name}` : name)',
    replace: 'name',
    tests: [EXAMPLE],
  },
  {
    name: 'what a sign-in to the example needed on its way is gone after it',
    file: 'examples/express/session.ts',
    find: '    forget(res, ofSignIn)\n',
    replace: '',
    tests: [EXAMPLE],
  },
  {
    name: 'a code counts in the browser alone that asked the example for it',
    file: 'examples/express/server.ts',
    find: "otp_id: readCookie(req, 'otp') ?? ''",
    replace: "otp_id: readCookie(req, 'otp') ?? req.body.otp_id",
    tests: [EXAMPLE],
  },
]
