import { readFileSync } from 'node:fs'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'

// A process of its own: below the test runner, the package would load its sources, which Node does not take from there.
const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(readFileSync(process.argv[2] ?? ''))))
process.stdout.write(JSON.stringify(analysis.types ? { types: analysis.types, problems: analysis.problems } : null))
