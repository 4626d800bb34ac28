import { defineSmsText, defineText } from '../../../platform/messages/texts.ts'

/** How a code is shown beside the digits that do as well. */
export const codeOrDigits = defineSmsText({
  en: '{code} (or {digits})',
  de: '{code} (oder {digits})',
  fr: '{code} (ou {digits})',
  es: '{code} (o {digits})',
  'pt-BR': '{code} (ou {digits})',
  ja: '{code}（または{digits}）',
})

/** By what a code is for. */
export const smsSays = {
  otp: defineSmsText({
    en: 'Your one-time code: {code}. It works once, within {span}. Do not share it.',
    de: 'Ihr Einmalcode: {code}. Er gilt einmal, {span} lang. Geben Sie ihn nicht weiter.',
    fr: 'Votre code à usage unique: {code}. Valable une fois, {span}. Ne le partagez pas.',
    es: 'Su clave de un solo uso: {code}. Vale una vez, durante {span}. No la comparta.',
    'pt-BR': 'Use uma vez: {code}. Vale por {span}. Mantenha em segredo.',
    ja: 'コード：{code}。{span}以内に1回有効。他人に教えないでください。',
  }),
  login_otp: defineSmsText({
    en: 'Your sign-in code: {code}. It works once, within {span}. Do not share it.',
    de: 'Ihr Anmeldecode: {code}. Er gilt einmal, {span} lang. Geben Sie ihn nicht weiter.',
    fr: 'Votre code de connexion: {code}. Valable une fois, {span}. Ne le partagez pas.',
    es: 'Su clave de acceso: {code}. Vale una vez, durante {span}. No la comparta.',
    'pt-BR': 'Para entrar, use uma vez: {code}. Vale por {span}. Mantenha em segredo.',
    ja: 'ログインコード：{code}。{span}以内に1回有効。他人に教えないでください。',
  }),
}

export const says = {
  oneTimeCode: defineText({
    en: 'Your one-time code',
    de: 'Ihr Einmalcode',
    fr: 'Votre code à usage unique',
    es: 'Su código de un solo uso',
    'pt-BR': 'Seu código de uso único',
    ja: 'ワンタイムコードのお知らせ',
  }),
  enterCode: defineText({
    en: 'Enter this code where you were asked for it.',
    de: 'Geben Sie diesen Code dort ein, wo Sie danach gefragt wurden.',
    fr: 'Saisissez ce code là où il vous a été demandé.',
    es: 'Introduzca este código donde se lo hayan pedido.',
    'pt-BR': 'Digite este código onde ele foi solicitado.',
    ja: 'コードの入力を求められた画面で、次のコードを入力してください。',
  }),
  enterDigits: defineText({
    en: 'If you are asked for digits, enter {digits} instead.',
    de: 'Wenn nach Ziffern gefragt wird, geben Sie stattdessen {digits} ein.',
    fr: 'Si des chiffres vous sont demandés, saisissez plutôt {digits}.',
    es: 'Si se le piden dígitos, introduzca {digits} en su lugar.',
    'pt-BR': 'Se forem pedidos dígitos, digite {digits}.',
    ja: '数字の入力を求められた場合は、代わりに {digits} を入力してください。',
  }),
  codeNotAskedFor: defineText({
    en: 'The code works once, within {span}. If you did not ask for it, ignore this email and do not share the code.',
    de: 'Der Code funktioniert nur einmal und ist {span} lang gültig. Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese E-Mail und geben Sie den Code nicht weiter.',
    fr: 'Le code ne fonctionne qu’une fois et reste valable {span}. Si vous ne l’avez pas demandé, ignorez cet e-mail et ne partagez pas le code.',
    es: 'El código funciona una sola vez y es válido durante {span}. Si no lo ha solicitado, ignore este correo y no comparta el código.',
    'pt-BR':
      'O código funciona uma única vez e é válido por {span}. Se você não o solicitou, ignore este e-mail e não compartilhe o código.',
    ja: 'このコードは{span}以内に1回だけ使用できます。お心当たりがない場合は、このメールを無視し、コードを誰にも教えないでください。',
  }),
  wordsNotAskedFor: defineText({
    en: 'They work once, within {span}. If you did not ask for them, ignore this email and do not share them.',
    de: 'Sie funktionieren nur einmal und sind {span} lang gültig. Wenn Sie sie nicht angefordert haben, ignorieren Sie diese E-Mail und geben Sie sie nicht weiter.',
    fr: 'Ils ne fonctionnent qu’une fois et restent valables {span}. Si vous ne les avez pas demandés, ignorez cet e-mail et ne les partagez pas.',
    es: 'Funcionan una sola vez y son válidas durante {span}. Si no las ha solicitado, ignore este correo y no las comparta.',
    'pt-BR':
      'Elas funcionam uma única vez e são válidas por {span}. Se você não as solicitou, ignore este e-mail e não as compartilhe.',
    ja: 'これらの言葉は{span}以内に1回だけ使用できます。お心当たりがない場合は、このメールを無視し、誰にも教えないでください。',
  }),
}

const signInCode = defineText({
  en: 'Your sign-in code',
  de: 'Ihr Anmeldecode',
  fr: 'Votre code de connexion',
  es: 'Su código para iniciar sesión',
  'pt-BR': 'Seu código de acesso',
  ja: 'ログインコードのお知らせ',
})

const confirmYourself = defineText({
  en: 'Confirm that it is you',
  de: 'Bestätigen Sie, dass Sie es sind',
  fr: 'Confirmez que c’est bien vous',
  es: 'Confirme que es usted',
  'pt-BR': 'Confirme que é você',
  ja: 'ご本人であることの確認をお願いします',
})

const enterToContinue = defineText({
  en: 'Enter these words to continue.',
  de: 'Geben Sie diese Wörter ein, um fortzufahren.',
  fr: 'Saisissez ces mots pour continuer.',
  es: 'Introduzca estas palabras para continuar.',
  'pt-BR': 'Digite estas palavras para continuar.',
  ja: '続行するには、次の言葉を入力してください。',
})

/** By what a sign-in code is for; that of a sign-up has a subject and heading of its own. */
export const wordsSay = {
  login: {
    title: signInCode,
    enter: defineText({
      en: 'Enter these words to sign in.',
      de: 'Geben Sie diese Wörter ein, um sich anzumelden.',
      fr: 'Saisissez ces mots pour vous connecter.',
      es: 'Introduzca estas palabras para iniciar sesión.',
      'pt-BR': 'Digite estas palavras para entrar.',
      ja: 'ログインするには、次の言葉を入力してください。',
    }),
  },
  step_up: {
    title: confirmYourself,
    enter: defineText({
      en: 'Enter these words to confirm a change of your account.',
      de: 'Geben Sie diese Wörter ein, um eine Änderung an Ihrem Konto zu bestätigen.',
      fr: 'Saisissez ces mots pour confirmer une modification de votre compte.',
      es: 'Introduzca estas palabras para confirmar un cambio en su cuenta.',
      'pt-BR': 'Digite estas palavras para confirmar uma alteração na sua conta.',
      ja: 'アカウントの変更を確認するには、次の言葉を入力してください。',
    }),
  },
  discovery: { title: signInCode, enter: enterToContinue },
  signup: { title: null, enter: enterToContinue },
}
