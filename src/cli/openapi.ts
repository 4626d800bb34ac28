import { writeFileSync } from 'node:fs'
import { type Command, Option } from 'commander'
import type { OpenApiPart } from '../platform/openapi/openapi.ts'
import { version } from '../process/announce.ts'

export function addOpenApi(program: Command): void {
  program
    .command('openapi')
    .description('print the OpenAPI 3.1 description of the API')
    .option('--out <file>', 'write it to a file instead')
    .addOption(new Option('--part <part>', 'what to describe').choices(['api', 'scim']).default('api'))
    .option('--base-url <url>', 'the public address of the API', 'http://localhost:4000')
    .addHelpText(
      'after',
      '\nExample:\n  $ npx watchword openapi --base-url https://auth.example.com --out openapi.json',
    )
    .action(async (options: { out?: string; baseUrl: string; part: OpenApiPart }) => {
      const { buildOpenApi } = await import('../platform/openapi/openapi.ts')
      const { formatJson } = await import('../platform/openapi/openapi-text.ts')
      const { routes } = await import('../wiring/routes.ts')
      const text = `${formatJson(buildOpenApi(routes, { baseUrl: options.baseUrl, version, part: options.part }))}\n`
      if (options.out) writeFileSync(options.out, text)
      else process.stdout.write(text)
    })
}
