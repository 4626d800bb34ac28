import { defineText } from '../../../platform/messages/texts.ts'

export const says = {
  follow: defineText({
    en: 'Follow the link to sign in.',
    de: 'Folgen Sie dem Link, um sich anzumelden.',
    fr: 'Suivez le lien pour vous connecter.',
    es: 'Siga el enlace para iniciar sesión.',
    'pt-BR': 'Acesse o link para entrar.',
    ja: 'リンクを開いてログインしてください。',
  }),
  orCode: defineText({
    en: 'Or enter this code, within {span}:',
    de: 'Oder geben Sie diesen Code ein, der {span} lang gültig ist:',
    fr: 'Ou saisissez ce code, valable {span} :',
    es: 'O introduzca este código, válido durante {span}:',
    'pt-BR': 'Ou digite este código, válido por {span}:',
    ja: 'または、{span}以内に次のコードを入力してください：',
  }),
  orCodeOrDigits: defineText({
    en: 'Or enter this code (or {digits}, if you are asked for digits), within {span}:',
    de: 'Oder geben Sie diesen Code (oder {digits}, wenn nach Ziffern gefragt wird) ein, der {span} lang gültig ist:',
    fr: 'Ou saisissez ce code (ou {digits}, si des chiffres vous sont demandés), valable {span} :',
    es: 'O introduzca este código (o {digits}, si se le piden dígitos), válido durante {span}:',
    'pt-BR': 'Ou digite este código (ou {digits}, se forem pedidos dígitos), válido por {span}:',
    ja: 'または、{span}以内に次のコード（数字の入力を求められた場合は {digits}）を入力してください：',
  }),
}
