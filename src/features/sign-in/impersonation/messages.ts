import { defineText } from '../../../platform/messages/texts.ts'

export const says = {
  started: defineText({
    en: 'Support has opened your account',
    de: 'Der Support hat Ihr Konto geöffnet',
    fr: 'L’assistance a ouvert votre compte',
    es: 'El equipo de soporte ha abierto su cuenta',
    'pt-BR': 'O suporte abriu a sua conta',
    ja: 'サポート担当者がお客様のアカウントを開きました',
  }),
  seesIt: defineText({
    en: 'Somebody who supports this application sees it as you do, for {span} at most. They cannot change how you sign in.',
    de: 'Jemand aus dem Support dieser Anwendung sieht sie so, wie Sie sie sehen, höchstens {span} lang. Wie Sie sich anmelden, kann diese Person nicht ändern.',
    fr: 'Une personne de l’assistance de cette application la voit comme vous, pendant {span} au plus. Elle ne peut pas modifier votre façon de vous connecter.',
    es: 'Una persona del soporte de esta aplicación la ve como usted, durante {span} como máximo. No puede cambiar su forma de iniciar sesión.',
    'pt-BR':
      'Uma pessoa do suporte deste aplicativo o vê como você, por no máximo {span}. Ela não pode mudar a forma como você entra.',
    ja: 'このアプリケーションのサポート担当者が、最長{span}、お客様と同じ画面を閲覧します。ログイン方法を変更することはできません。',
  }),
}
