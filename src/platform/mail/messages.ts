import { defineText } from '../messages/texts.ts'

/** What the layout says of itself. */
export const layoutSays = {
  orEnterCode: defineText({
    en: 'Or enter this code:',
    de: 'Oder geben Sie diesen Code ein:',
    fr: 'Ou saisissez ce code :',
    es: 'O introduzca este código:',
    'pt-BR': 'Ou digite este código:',
    ja: 'または、次のコードを入力してください：',
  }),
  orOpenLink: defineText({
    en: 'Or open this link: {url}',
    de: 'Oder öffnen Sie diesen Link: {url}',
    fr: 'Ou ouvrez ce lien : {url}',
    es: 'O abra este enlace: {url}',
    'pt-BR': 'Ou abra este link: {url}',
    ja: 'または、次のリンクを開いてください： {url}',
  }),
  help: defineText({
    en: 'Need help? Contact {address}',
    de: 'Brauchen Sie Hilfe? Schreiben Sie an {address}',
    fr: 'Besoin d’aide ? Écrivez à {address}',
    es: '¿Necesita ayuda? Escriba a {address}',
    'pt-BR': 'Precisa de ajuda? Escreva para {address}',
    ja: 'お困りの場合は、こちらまでお問い合わせください： {address}',
  }),
}

/** What mails of several nouns say. */
export const mailSays = {
  linkNotAskedFor: defineText({
    en: 'The link works once, within {span}. If you did not ask for it, ignore this email and do not forward it.',
    de: 'Der Link funktioniert nur einmal und ist {span} lang gültig. Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese E-Mail und leiten Sie sie nicht weiter.',
    fr: 'Le lien ne fonctionne qu’une fois et reste valable {span}. Si vous ne l’avez pas demandé, ignorez cet e-mail et ne le transférez pas.',
    es: 'El enlace funciona una sola vez y es válido durante {span}. Si no lo ha solicitado, ignore este correo y no lo reenvíe.',
    'pt-BR':
      'O link funciona uma única vez e é válido por {span}. Se você não o solicitou, ignore este e-mail e não o encaminhe.',
    ja: 'このリンクは{span}以内に1回だけ使用できます。お心当たりがない場合は、このメールを無視し、転送しないでください。',
  }),
  linkIfItWasYou: defineText({
    en: 'The link works once, within {span}. If it was you, ignore this email.',
    de: 'Der Link funktioniert nur einmal und ist {span} lang gültig. Wenn Sie es selbst waren, ignorieren Sie diese E-Mail.',
    fr: 'Le lien ne fonctionne qu’une fois et reste valable {span}. Si c’était vous, ignorez cet e-mail.',
    es: 'El enlace funciona una sola vez y es válido durante {span}. Si ha sido usted, ignore este correo.',
    'pt-BR': 'O link funciona uma única vez e é válido por {span}. Se foi você, ignore este e-mail.',
    ja: 'このリンクは{span}以内に1回だけ使用できます。ご本人による操作の場合は、このメールを無視してください。',
  }),
  itWasNotMe: defineText({
    en: 'It was not me',
    de: 'Das war ich nicht',
    fr: 'Ce n’était pas moi',
    es: 'No he sido yo',
    'pt-BR': 'Não fui eu',
    ja: '自分ではありません',
  }),
  unexpected: defineText({
    en: 'If you did not expect this, tell your administrator.',
    de: 'Wenn Sie das nicht erwartet haben, wenden Sie sich an Ihren Administrator.',
    fr: 'Si vous ne vous y attendiez pas, prévenez votre administrateur.',
    es: 'Si no lo esperaba, avise a su administrador.',
    'pt-BR': 'Se você não esperava por isso, avise o seu administrador.',
    ja: 'お心当たりがない場合は、管理者にお知らせください。',
  }),
  addressChanged: defineText({
    en: 'Your email address was changed',
    de: 'Ihre E-Mail-Adresse wurde geändert',
    fr: 'Votre adresse e-mail a été modifiée',
    es: 'Se ha cambiado su dirección de correo electrónico',
    'pt-BR': 'Seu endereço de e-mail foi alterado',
    ja: 'メールアドレスが変更されました',
  }),
  addressNow: defineText({
    en: 'Your account now uses {address}. This address can no longer be used to sign in.',
    de: 'Ihr Konto verwendet jetzt {address}. Mit dieser Adresse ist keine Anmeldung mehr möglich.',
    fr: 'Votre compte utilise désormais {address}. Cette adresse-ci ne permet plus de se connecter.',
    es: 'Su cuenta utiliza ahora {address}. Con esta dirección ya no se puede iniciar sesión.',
    'pt-BR': 'Sua conta agora usa {address}. Este endereço não pode mais ser usado para entrar.',
    ja: 'お客様のアカウントでは、現在 {address} が使用されています。このアドレスではログインできなくなりました。',
  }),
  confirmAddress: defineText({
    en: 'Confirm your email address',
    de: 'Bestätigen Sie Ihre E-Mail-Adresse',
    fr: 'Confirmez votre adresse e-mail',
    es: 'Confirme su dirección de correo electrónico',
    'pt-BR': 'Confirme seu endereço de e-mail',
    ja: 'メールアドレスの確認をお願いします',
  }),
  confirmAddressLabel: defineText({
    en: 'Confirm address',
    de: 'Adresse bestätigen',
    fr: 'Confirmer l’adresse',
    es: 'Confirmar la dirección',
    'pt-BR': 'Confirmar endereço',
    ja: 'アドレスを確認する',
  }),
  signIn: defineText({
    en: 'Sign in',
    de: 'Anmelden',
    fr: 'Se connecter',
    es: 'Iniciar sesión',
    'pt-BR': 'Entrar',
    ja: 'ログイン',
  }),
  signInLink: defineText({
    en: 'Your sign-in link',
    de: 'Ihr Anmeldelink',
    fr: 'Votre lien de connexion',
    es: 'Su enlace para iniciar sesión',
    'pt-BR': 'Seu link de acesso',
    ja: 'ログイン用リンクのお知らせ',
  }),
  welcome: defineText({
    en: 'Welcome',
    de: 'Willkommen',
    fr: 'Bienvenue',
    es: 'Le damos la bienvenida',
    'pt-BR': 'Boas-vindas',
    ja: 'ようこそ',
  }),
}
