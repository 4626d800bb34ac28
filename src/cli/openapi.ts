import { writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import { version } from '../announce.ts'

export function addOpenApi(program: Command): void {
  program
    .command('openapi')
    .description('print the OpenAPI 3.1 description of the API')
    .option('--out <file>', 'write it to a file instead')
    .option('--base-url <url>', 'the public address of the API', 'http://localhost:4000')
    .addHelpText(
      'after',
      '\nExample:\n  $ npx watchword openapi --base-url https://auth.example.com --out openapi.json',
    )
    .action(async (options: { out?: string; baseUrl: string }) => {
      const { buildOpenApi } = await import('../platform/http/openapi.ts')
      const { formatJson } = await import('../platform/http/openapi-text.ts')
      const { routes } = await import('../routes.ts')
      const text = `${formatJson(buildOpenApi(routes, { baseUrl: options.baseUrl, version }))}\n`
      if (options.out) writeFileSync(options.out, text)
      else process.stdout.write(text)
    })
}
