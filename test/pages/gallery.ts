import type { Route } from '../../src/platform/http/route.ts'
import { type Brand, OWN_BRAND } from '../../src/platform/mail/brand.ts'
import { LANGUAGES, type Language } from '../../src/platform/messages/language.ts'
import { texts } from '../../src/platform/messages/texts.gen.ts'
import { renderPage } from '../../src/platform/pages/card.ts'
import { form } from '../../src/platform/pages/form.ts'
import { type Html, html } from '../../src/platform/pages/html.ts'
import { definePage } from '../../src/platform/pages/pages.ts'
import {
  choices,
  devices,
  link,
  linkButton,
  notice,
  paragraph,
  type Step,
  verbatim,
} from '../../src/platform/pages/parts.ts'

// Every component of the pages in its states, as pages that tests open and people look at.

/** Chooses between a text and a hostile one in its place. */
type Write = (text: string) => string

interface Shown {
  title: string
  body: Html
  step?: Step
}

const EMAIL = 'ada@acme.example'

/** A page for each component, with texts of the language where there are some. */
const gallery: Record<string, (write: Write, language: Language) => Shown> = {
  email: (write, language) => ({
    title: write(texts.mail.signIn(language).replace('{brand}', 'Acme')),
    body: html`${form({
      fields: [
        {
          kind: 'email',
          name: 'email',
          label: write(texts.pages.link.address(language)),
          autocomplete: 'username',
          autofocus: true,
        },
      ],
      button: write(texts.pages.form.button(language)),
      otherButton: { label: write('Sign in with a passkey'), name: 'passkey' },
    })}${link({ label: write('Sign in to another organization'), url: '/other' })}`,
  }),
  code: (write) => ({
    title: write('Check your email'),
    body: html`${notice(write(`A code is on its way to ${EMAIL}.`))}${form({
      fields: [
        { kind: 'hidden', name: 'otp_id', value: write('x') },
        {
          kind: 'code',
          name: 'code',
          label: write('Code'),
          hint: write('Two words from the email.'),
          consistsOf: 'words',
          autofocus: true,
        },
      ],
      button: write('Sign in'),
      otherButton: { label: write('Send another code'), name: 'resend' },
    })}`,
  }),
  'code-error': (write) => ({
    title: write('Check your phone'),
    step: { current: 2, count: 3 },
    body: form({
      fields: [
        {
          kind: 'code',
          name: 'code',
          label: write('Six digits from your app'),
          hint: write('The code changes every 30 seconds.'),
          error: write('This code is wrong. Enter the newest one.'),
          consistsOf: 'digits',
        },
      ],
      button: write('Confirm'),
    }),
  }),
  password: (write, language) => ({
    title: write(texts.password.recovery.title(language)),
    body: html`${paragraph(write(texts.password.recovery.paragraph(language).replace('{brand}', 'Acme')))}${form({
      fields: [
        {
          kind: 'text',
          name: 'email',
          label: write(texts.pages.link.address(language)),
          value: write(EMAIL),
          readOnly: true,
        },
        {
          kind: 'password',
          name: 'password',
          label: write(texts.password.page.label(language)),
          hint: write(texts.password.page.hint(language, { count: '8' })),
          error: write(texts.password.page.breached(language)),
          minLength: 8,
        },
      ],
      button: write(texts.password.recovery.button(language)),
    })}`,
  }),
  alert: (write) => ({
    title: write('Sign in'),
    body: form({
      alert: write('Too many attempts. Try again in 5 minutes.'),
      fields: [
        { kind: 'password', name: 'password', label: write('Password'), disabled: true },
        { kind: 'text', name: 'name', label: write('Name'), value: write('Ada'), optional: true, autocomplete: 'name' },
      ],
      button: { label: write('Sign in'), disabled: true },
      otherButton: { label: write('Reset your password'), name: 'reset' },
    }),
  }),
  organizations: (write) => ({
    title: write('Choose an organization'),
    body: html`${paragraph(write(`You signed in as ${EMAIL}.`))}${form({
      fields: [],
      content: choices(write('Organizations'), [
        { label: write('Acme'), detail: write('acme.example'), name: 'organization', value: write('1') },
        { label: write('Globex and Daughters'), name: 'organization', value: write('2') },
        { label: write('شركة المثال'), detail: write('You are invited'), name: 'organization', value: write('3') },
      ]),
      otherButton: { label: write('Create an organization'), name: 'create' },
    })}`,
  }),
  methods: (write) => ({
    title: write('Sign in another way'),
    body: html`${choices(write('Sign-in methods'), [
      { label: write('Passkey'), detail: write('Used last in this browser'), url: '/passkey' },
      { label: write('Single sign-on'), url: 'https://idp.example/sso?a=1&b=2' },
      { label: write('Email me a code'), url: '?method=code' },
    ])}${link({ label: write('Back'), url: '/' })}`,
  }),
  devices: (write) => ({
    title: write('Where you are signed in'),
    body: form({
      fields: [{ kind: 'hidden', name: 'form', value: '1' }],
      content: devices('sessions', write('Sessions'), [
        {
          title: write('Chrome on macOS'),
          details: [write('Berlin, Germany'), write('Active now')],
          badge: write('This device'),
        },
        {
          title: write('Safari on iPhone'),
          details: [write('203.0.113.7'), write('Last used 2 hours ago')],
          action: { label: write('Sign out'), name: 'session', value: write('2') },
        },
        {
          title: write('Firefox on Windows'),
          details: [write('Last used in October')],
          action: { label: write('Sign out'), name: 'session', value: write('3') },
        },
      ]),
      otherButton: { label: write('Sign out everywhere else'), name: 'all' },
    }),
  }),
  done: (write, language) => ({
    title: write(texts.password.recovery.done(language)),
    step: { current: 3, count: 3 },
    body: html`${paragraph(write(texts.password.recovery.doneText(language)))}${verbatim(write('7f3a-91cc\n20be-4d17'))}${linkButton(
      {
        label: write(texts.pages.link.continueTo(language, { host: 'app.acme.example' })),
        url: 'https://app.acme.example/',
      },
    )}`,
  }),
}

export const galleryNames = Object.keys(gallery)

const HOSTILE = {
  markup: `"><img src=x onerror="document.title='run'"><script>document.title='run'</script>'&amp;{brand}`,
  rtl: 'شركة \u202e\u2067المثال\u2069 "example" \u200f(1)',
  long: `${'Überlänge'.repeat(1111)}!`,
}
export const hostileNames = Object.keys(HOSTILE)

/** Below the address of an issuer, where hosted pages are. `text` names a hostile string, which then stands for every text. */
export const galleryPages: Route[] = definePage({
  path: '/accounts/{account}/{environment}/gallery/{name}',
  summary: 'A page of the gallery',
  async render(_work, { name = '' }, { language: asked, text = '', accent = null }) {
    const language = LANGUAGES.find((one) => one === asked) ?? 'en'
    const hostile = Object.entries(HOSTILE).find(([one]) => one === text)?.[1]
    const brand: Brand = {
      ...OWN_BRAND,
      name: hostile ?? 'Acme',
      supportEmail: 'help@acme.example',
      accentColor: accent,
    }
    const shown = gallery[name]?.((own) => hostile ?? own, language)
    return shown ? renderPage({ brand, language, ...shown }) : null
  },
})
