import { defineText } from '../../../platform/messages/texts.ts'

export const says = {
  linked: defineText({
    en: 'A sign-in method was added to your account',
    de: 'Ihrem Konto wurde eine Anmeldemethode hinzugefügt',
    fr: 'Une méthode de connexion a été ajoutée à votre compte',
    es: 'Se ha añadido un método de inicio de sesión a su cuenta',
    'pt-BR': 'Um método de acesso foi adicionado à sua conta',
    ja: 'アカウントにログイン方法が追加されました',
  }),
  signsInBy: defineText({
    en: 'You can now sign in to your account with {source}.',
    de: 'Sie können sich bei Ihrem Konto jetzt mit {source} anmelden.',
    fr: 'Vous pouvez désormais vous connecter à votre compte avec {source}.',
    es: 'Ahora puede iniciar sesión en su cuenta con {source}.',
    'pt-BR': 'Agora você pode entrar na sua conta com {source}.',
    ja: '{source} を使用してアカウントにログインできるようになりました。',
  }),
}
