import { defineText } from '../messages/texts.ts'

/** What the page says that takes a message to a provider. */
export const formPageSays = {
  signIn: {
    title: defineText({
      en: 'Continue to your organization',
      de: 'Weiter zu Ihrer Organisation',
      fr: 'Continuer vers votre organisation',
      es: 'Continuar a su organización',
      'pt-BR': 'Continuar para a sua organização',
      ja: '組織のログイン画面へ進む',
    }),
    text: defineText({
      en: 'You are being taken to the sign-in of your organization.',
      de: 'Sie werden zur Anmeldung Ihrer Organisation weitergeleitet.',
      fr: 'Vous allez être dirigé vers la page de connexion de votre organisation.',
      es: 'Se le está llevando al inicio de sesión de su organización.',
      'pt-BR': 'Você está sendo levado à página de acesso da sua organização.',
      ja: '組織のログイン画面に移動しています。',
    }),
  },
  signOut: {
    title: defineText({
      en: 'Signing out',
      de: 'Abmeldung',
      fr: 'Déconnexion',
      es: 'Cierre de sesión',
      'pt-BR': 'Saindo',
      ja: 'ログアウトしています',
    }),
    text: defineText({
      en: 'You are being taken to your organization, which signs you out there.',
      de: 'Sie werden zu Ihrer Organisation weitergeleitet, die Sie dort abmeldet.',
      fr: 'Vous allez être dirigé vers votre organisation, qui vous y déconnecte.',
      es: 'Se le está llevando a su organización, que cierra allí su sesión.',
      'pt-BR': 'Você está sendo levado à sua organização, que encerra a sua sessão lá.',
      ja: '組織のページに移動し、そこでログアウトします。',
    }),
  },
  button: defineText({
    en: 'Continue',
    de: 'Weiter',
    fr: 'Continuer',
    es: 'Continuar',
    'pt-BR': 'Continuar',
    ja: '続ける',
  }),
}
