import type { Mutant } from './mutant.ts'

/** In which language people are written to. */
export const languages: Mutant[] = [
  {
    name: 'a change of the locale of an organization is known to whoever knows the organization',
    file: 'src/features/tenancy/organizations/organizations.ts',
    find: "if (changed.includes('locale')) await forgetDirectories(work.platform, db, before.id)",
    replace: '',
    tests: ['test/languages.test.ts'],
  },
  {
    name: 'a locale is a language tag',
    file: 'src/platform/validator.ts',
    find: 'ajv.addFormat(LOCALE_FORMAT, isLocale)',
    replace: 'ajv.addFormat(LOCALE_FORMAT, (text: string) => isLocale(text) || true)',
    tests: ['test/locale.test.ts'],
  },
  {
    name: 'a locale that provisioning goes on saying replaces no choice since',
    file: 'src/features/provisioning/provisioning/write.ts',
    find: 'return locale === before.locale ? profile : { ...profile, locale }',
    replace: 'return locale === before.locale ? { ...profile, locale } : { ...profile, locale }',
    tests: ['test/locale.test.ts'],
  },
  {
    name: 'a mail to nobody is written in the language of the organization, as to whoever has no locale',
    file: 'src/platform/mail/compose.ts',
    find: 'chooseLanguage(to.locale, work.directory.locale)',
    replace: 'chooseLanguage(to.locale)',
    tests: ['test/languages.test.ts'],
  },
]
