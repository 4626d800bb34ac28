import { formPageSays } from '../../../platform/http/messages.ts'
import { mailSays } from '../../../platform/mail/messages.ts'
import { defineText } from '../../../platform/messages/texts.ts'

/** What several pages say. */
export const says = {
  address: defineText({
    en: 'Email address',
    de: 'E-Mail-Adresse',
    fr: 'Adresse e-mail',
    es: 'Dirección de correo electrónico',
    'pt-BR': 'Endereço de e-mail',
    ja: 'メールアドレス',
  }),
  continueTo: defineText({
    en: 'Continue to {host}',
    de: 'Weiter zu {host}',
    fr: 'Continuer vers {host}',
    es: 'Continuar a {host}',
    'pt-BR': 'Continuar para {host}',
    ja: '{host} へ進む',
  }),
  askOperator: defineText({
    en: 'Ask whoever runs the application.',
    de: 'Wenden Sie sich an den Betreiber der Anwendung.',
    fr: 'Adressez-vous à l’exploitant de l’application.',
    es: 'Pregunte al responsable de la aplicación.',
    'pt-BR': 'Fale com o responsável pelo aplicativo.',
    ja: 'アプリケーションの運営者にお問い合わせください。',
  }),
  requestAtSignIn: defineText({
    en: 'Request a new one where you sign in.',
    de: 'Fordern Sie dort, wo Sie sich anmelden, einen neuen an.',
    fr: 'Demandez-en un nouveau là où vous vous connectez.',
    es: 'Solicite uno nuevo donde inicia sesión.',
    'pt-BR': 'Solicite um novo onde você entra.',
    ja: 'ログイン画面で新しいリンクを申請してください。',
  }),
  requestAtSignUp: defineText({
    en: 'Request a new one where you signed up.',
    de: 'Fordern Sie dort, wo Sie sich registriert haben, einen neuen an.',
    fr: 'Demandez-en un nouveau là où vous vous êtes inscrit.',
    es: 'Solicite uno nuevo donde se registró.',
    'pt-BR': 'Solicite um novo onde você se cadastrou.',
    ja: '登録した画面で新しいリンクを申請してください。',
  }),
  doesNotWork: defineText({
    en: 'This link does not work',
    de: 'Dieser Link funktioniert nicht',
    fr: 'Ce lien ne fonctionne pas',
    es: 'Este enlace no funciona',
    'pt-BR': 'Este link não funciona',
    ja: 'このリンクは使用できません',
  }),
  incomplete: defineText({
    en: 'It is incomplete. Open it from the email again, or copy all of it.',
    de: 'Er ist unvollständig. Öffnen Sie ihn noch einmal aus der E-Mail, oder kopieren Sie ihn ganz.',
    fr: 'Il est incomplet. Ouvrez-le de nouveau depuis l’e-mail, ou copiez-le en entier.',
    es: 'Está incompleto. Ábralo de nuevo desde el correo o cópielo entero.',
    'pt-BR': 'Ele está incompleto. Abra-o novamente a partir do e-mail ou copie-o por inteiro.',
    ja: 'リンクが不完全です。メールからもう一度開くか、全体をコピーしてください。',
  }),
}

export const signInSays = {
  title: mailSays.signIn,
  paragraph: defineText({
    en: 'Continue to {host}, where you will be signed in.',
    de: 'Weiter zu {host}: Dort werden Sie angemeldet.',
    fr: 'Continuez vers {host}, où vous serez connecté.',
    es: 'Continúe a {host}, donde se iniciará su sesión.',
    'pt-BR': 'Continue para {host}, onde você entrará na sua conta.',
    ja: '{host} に進むと、ログインが完了します。',
  }),
  used: defineText({
    en: 'If it was you, you are signed in. If not, request a new link where you sign in.',
    de: 'Wenn Sie es waren, sind Sie angemeldet. Wenn nicht, fordern Sie dort, wo Sie sich anmelden, einen neuen Link an.',
    fr: 'Si c’était vous, vous êtes connecté. Sinon, demandez un nouveau lien là où vous vous connectez.',
    es: 'Si ha sido usted, su sesión está iniciada. Si no, solicite un nuevo enlace donde inicia sesión.',
    'pt-BR': 'Se foi você, você já entrou. Se não, solicite um novo link onde você entra.',
    ja: 'ご本人による操作の場合は、ログイン済みです。そうでない場合は、ログイン画面で新しいリンクを申請してください。',
  }),
}

export const signUpSays = {
  title: defineText({
    en: 'Finish your sign-up',
    de: 'Registrierung abschließen',
    fr: 'Terminer votre inscription',
    es: 'Complete su registro',
    'pt-BR': 'Conclua o seu cadastro',
    ja: '登録を完了する',
  }),
  paragraph: defineText({
    en: 'Continue to {host}, where your account will be ready.',
    de: 'Weiter zu {host}: Dort wird Ihr Konto bereit sein.',
    fr: 'Continuez vers {host}, où votre compte sera prêt.',
    es: 'Continúe a {host}, donde su cuenta estará lista.',
    'pt-BR': 'Continue para {host}, onde a sua conta estará pronta.',
    ja: '{host} に進むと、アカウントが利用できるようになります。',
  }),
  button: formPageSays.button,
  used: defineText({
    en: 'If it was you, your account is ready. If not, request a new link where you signed up.',
    de: 'Wenn Sie es waren, ist Ihr Konto bereit. Wenn nicht, fordern Sie dort, wo Sie sich registriert haben, einen neuen Link an.',
    fr: 'Si c’était vous, votre compte est prêt. Sinon, demandez un nouveau lien là où vous vous êtes inscrit.',
    es: 'Si ha sido usted, su cuenta está lista. Si no, solicite un nuevo enlace donde se registró.',
    'pt-BR': 'Se foi você, a sua conta está pronta. Se não, solicite um novo link onde você se cadastrou.',
    ja: 'ご本人による操作の場合は、アカウントを利用できます。そうでない場合は、登録した画面で新しいリンクを申請してください。',
  }),
}

export const discoverySays = {
  paragraph: defineText({
    en: 'Continue to {host}, where you will choose what to sign in to.',
    de: 'Weiter zu {host}: Dort wählen Sie, wo Sie sich anmelden.',
    fr: 'Continuez vers {host}, où vous choisirez à quoi vous connecter.',
    es: 'Continúe a {host}, donde elegirá en qué iniciar sesión.',
    'pt-BR': 'Continue para {host}, onde você escolherá em que entrar.',
    ja: '{host} に進み、ログイン先を選択してください。',
  }),
  used: defineText({
    en: 'If it was you, go on where you followed it. If not, request a new link where you sign in.',
    de: 'Wenn Sie es waren, machen Sie dort weiter, wo Sie ihn geöffnet haben. Wenn nicht, fordern Sie dort, wo Sie sich anmelden, einen neuen Link an.',
    fr: 'Si c’était vous, continuez là où vous l’avez ouvert. Sinon, demandez un nouveau lien là où vous vous connectez.',
    es: 'Si ha sido usted, continúe donde lo abrió. Si no, solicite un nuevo enlace donde inicia sesión.',
    'pt-BR': 'Se foi você, continue onde o abriu. Se não, solicite um novo link onde você entra.',
    ja: 'ご本人による操作の場合は、リンクを開いた画面で続けてください。そうでない場合は、ログイン画面で新しいリンクを申請してください。',
  }),
}

export const handoverSays = {
  lacking: defineText({
    en: 'Your link is valid, but the application has not configured where it leads: the link was sent without redirectTo, and its settings default_redirect_uri and allowed_redirect_uris name no single address.',
    de: 'Ihr Link ist gültig, aber die Anwendung hat nicht festgelegt, wohin er führt: Er wurde ohne redirectTo gesendet, und ihre Einstellungen default_redirect_uri und allowed_redirect_uris nennen keine eindeutige Adresse.',
    fr: 'Votre lien est valable, mais l’application n’a pas défini où il mène : il a été envoyé sans redirectTo, et ses paramètres default_redirect_uri et allowed_redirect_uris n’indiquent pas d’adresse unique.',
    es: 'Su enlace es válido, pero la aplicación no ha configurado adónde lleva: se envió sin redirectTo, y sus ajustes default_redirect_uri y allowed_redirect_uris no indican una única dirección.',
    'pt-BR':
      'Seu link é válido, mas o aplicativo não configurou para onde ele leva: o link foi enviado sem redirectTo, e as configurações default_redirect_uri e allowed_redirect_uris não indicam um único endereço.',
    ja: 'リンクは有効ですが、アプリケーションに移動先が設定されていません。リンクはredirectToなしで送信され、設定のdefault_redirect_uriとallowed_redirect_urisからも移動先を1つに特定できません。',
  }),
  tellOperator: defineText({
    en: 'Please tell the operator of the application.',
    de: 'Bitte informieren Sie den Betreiber der Anwendung.',
    fr: 'Veuillez prévenir l’exploitant de l’application.',
    es: 'Avise al responsable de la aplicación.',
    'pt-BR': 'Avise o responsável pelo aplicativo.',
    ja: 'アプリケーションの運営者にお知らせください。',
  }),
  command: defineText({
    en: 'Until then, outside production, this command redeems it:',
    de: 'Bis dahin löst ihn außerhalb der Produktion dieser Befehl ein:',
    fr: 'D’ici là, hors production, cette commande l’utilise :',
    es: 'Hasta entonces, fuera de producción, esta orden lo canjea:',
    'pt-BR': 'Até lá, fora de produção, este comando o resgata:',
    ja: 'それまでは、本番環境以外では次のコマンドで使用できます：',
  }),
}
