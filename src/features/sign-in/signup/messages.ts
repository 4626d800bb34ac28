import { defineText } from '../../../platform/messages/texts.ts'

export const says = {
  finish: defineText({
    en: 'Follow the link to confirm your address and finish your sign-up.',
    de: 'Folgen Sie dem Link, um Ihre Adresse zu bestätigen und Ihre Registrierung abzuschließen.',
    fr: 'Suivez le lien pour confirmer votre adresse et terminer votre inscription.',
    es: 'Siga el enlace para confirmar su dirección y completar su registro.',
    'pt-BR': 'Acesse o link para confirmar seu endereço e concluir o seu cadastro.',
    ja: 'リンクを開いてアドレスを確認し、登録を完了してください。',
  }),
  haveAccount: defineText({
    en: 'Your address was used to sign up, and you already have an account. Follow the link to sign in.',
    de: 'Mit Ihrer Adresse wurde eine Registrierung begonnen, aber Sie haben bereits ein Konto. Folgen Sie dem Link, um sich anzumelden.',
    fr: 'Votre adresse a été utilisée pour une inscription, mais vous avez déjà un compte. Suivez le lien pour vous connecter.',
    es: 'Se ha usado su dirección para un registro, pero usted ya tiene una cuenta. Siga el enlace para iniciar sesión.',
    'pt-BR': 'Seu endereço foi usado em um cadastro, mas você já tem uma conta. Acesse o link para entrar.',
    ja: 'お客様のアドレスで登録の申し込みがありましたが、すでにアカウントをお持ちです。リンクを開いてログインしてください。',
  }),
}
