import { defineText } from '../../../platform/messages/texts.ts'

export const says = {
  given: defineText({
    en: 'This address was given for an account. Follow the link to confirm that it is yours.',
    de: 'Diese Adresse wurde für ein Konto angegeben. Folgen Sie dem Link, um zu bestätigen, dass es Ihre ist.',
    fr: 'Cette adresse a été indiquée pour un compte. Suivez le lien pour confirmer que c’est la vôtre.',
    es: 'Se ha indicado esta dirección para una cuenta. Siga el enlace para confirmar que es suya.',
    'pt-BR': 'Este endereço foi informado para uma conta. Acesse o link para confirmar que ele é seu.',
    ja: 'このアドレスがアカウントに登録されました。リンクを開いて、ご自身のアドレスであることを確認してください。',
  }),
  notYours: defineText({
    en: 'The link works once, within {span}. If this is not your account, ignore this email.',
    de: 'Der Link funktioniert nur einmal und ist {span} lang gültig. Wenn dies nicht Ihr Konto ist, ignorieren Sie diese E-Mail.',
    fr: 'Le lien ne fonctionne qu’une fois et reste valable {span}. Si ce n’est pas votre compte, ignorez cet e-mail.',
    es: 'El enlace funciona una sola vez y es válido durante {span}. Si no es su cuenta, ignore este correo.',
    'pt-BR': 'O link funciona uma única vez e é válido por {span}. Se esta não é a sua conta, ignore este e-mail.',
    ja: 'このリンクは{span}以内に1回だけ使用できます。ご自身のアカウントでない場合は、このメールを無視してください。',
  }),
}
