import { defineText } from '../../../platform/messages/texts.ts'

export const says = {
  lockedSubject: defineText({
    en: 'Too many wrong sign-in codes',
    de: 'Zu viele falsche Anmeldecodes',
    fr: 'Trop de codes de connexion erronés',
    es: 'Demasiados códigos de inicio de sesión incorrectos',
    'pt-BR': 'Muitos códigos de acesso incorretos',
    ja: 'ログインコードの入力ミスが上限に達しました',
  }),
  lockedHeading: defineText({
    en: 'Too many wrong codes',
    de: 'Zu viele falsche Codes',
    fr: 'Trop de codes erronés',
    es: 'Demasiados códigos incorrectos',
    'pt-BR': 'Muitos códigos incorretos',
    ja: 'コードの入力ミスが上限に達しました',
  }),
  locked: defineText({
    en: 'Someone passed the first step of your sign-in and then entered too many wrong codes. The second step is locked for a while.',
    de: 'Jemand hat den ersten Schritt Ihrer Anmeldung bestanden und danach zu viele falsche Codes eingegeben. Der zweite Schritt ist vorübergehend gesperrt.',
    fr: 'Quelqu’un a franchi la première étape de votre connexion, puis a saisi trop de codes erronés. La deuxième étape est verrouillée pour un certain temps.',
    es: 'Alguien ha superado el primer paso de su inicio de sesión y después ha introducido demasiados códigos incorrectos. El segundo paso está bloqueado temporalmente.',
    'pt-BR':
      'Alguém passou pela primeira etapa do seu login e depois digitou muitos códigos incorretos. A segunda etapa está bloqueada temporariamente.',
    ja: '何者かがログインの1段階目を通過した後、誤ったコードを何度も入力しました。2段階目の確認は一時的にロックされています。',
  }),
  notYou: defineText({
    en: 'If this was not you, someone may know your password or read your email: change your password now.',
    de: 'Wenn Sie das nicht waren, kennt möglicherweise jemand Ihr Passwort oder liest Ihre E-Mails: Ändern Sie Ihr Passwort jetzt.',
    fr: 'Si ce n’était pas vous, quelqu’un connaît peut-être votre mot de passe ou lit vos e-mails : changez votre mot de passe maintenant.',
    es: 'Si no ha sido usted, es posible que alguien conozca su contraseña o lea su correo: cambie su contraseña ahora.',
    'pt-BR': 'Se não foi você, alguém pode saber a sua senha ou ler os seus e-mails: altere a sua senha agora.',
    ja: 'お心当たりがない場合は、第三者がパスワードを知っているか、メールを読んでいる可能性があります。今すぐパスワードを変更してください。',
  }),
}
