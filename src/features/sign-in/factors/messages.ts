import { defineCount, defineSmsText, defineText } from '../../../platform/messages/texts.ts'

export const says = {
  enrolledSubject: defineText({
    en: 'A second step was added to your sign-in',
    de: 'Ihrer Anmeldung wurde ein zweiter Schritt hinzugefügt',
    fr: 'Une deuxième étape a été ajoutée à votre connexion',
    es: 'Se ha añadido un segundo paso a su inicio de sesión',
    'pt-BR': 'Uma segunda etapa foi adicionada ao seu login',
    ja: 'ログインに2段階目の確認が追加されました',
  }),
  enrolledHeading: defineText({
    en: 'Sign-in now has a second step',
    de: 'Die Anmeldung hat jetzt einen zweiten Schritt',
    fr: 'La connexion comporte désormais une deuxième étape',
    es: 'El inicio de sesión tiene ahora un segundo paso',
    'pt-BR': 'O login agora tem uma segunda etapa',
    ja: 'ログインに2段階目の確認が必要になりました',
  }),
  removed: defineText({
    en: 'A second step was removed from your sign-in',
    de: 'Ein zweiter Schritt wurde aus Ihrer Anmeldung entfernt',
    fr: 'Une deuxième étape a été retirée de votre connexion',
    es: 'Se ha eliminado un segundo paso de su inicio de sesión',
    'pt-BR': 'Uma segunda etapa foi removida do seu login',
    ja: 'ログインの2段階目の確認が削除されました',
  }),
  setUpBefore: defineText({
    en: 'It had been set up before this address was confirmed.',
    de: 'Er war eingerichtet worden, bevor diese Adresse bestätigt wurde.',
    fr: 'Elle avait été mise en place avant la confirmation de cette adresse.',
    es: 'Se había configurado antes de que se confirmara esta dirección.',
    'pt-BR': 'Ela havia sido configurada antes da confirmação deste endereço.',
    ja: 'これは、このアドレスが確認される前に設定されたものでした。',
  }),
  notYou: defineText({
    en: 'If this was not you, tell your administrator at once: someone may have access to your account.',
    de: 'Wenn Sie das nicht waren, wenden Sie sich sofort an Ihren Administrator: Möglicherweise hat jemand Zugriff auf Ihr Konto.',
    fr: 'Si ce n’était pas vous, prévenez immédiatement votre administrateur : quelqu’un a peut-être accès à votre compte.',
    es: 'Si no ha sido usted, avise de inmediato a su administrador: es posible que alguien tenga acceso a su cuenta.',
    'pt-BR': 'Se não foi você, avise imediatamente o seu administrador: alguém pode ter acesso à sua conta.',
    ja: 'お心当たりがない場合は、直ちに管理者にお知らせください。第三者がお客様のアカウントにアクセスできる可能性があります。',
  }),
  backupUsedSubject: defineText({
    en: 'A backup code was used to sign in',
    de: 'Ein Ersatzcode wurde zur Anmeldung verwendet',
    fr: 'Un code de secours a été utilisé pour se connecter',
    es: 'Se ha usado un código de respaldo para iniciar sesión',
    'pt-BR': 'Um código de backup foi usado para entrar',
    ja: 'バックアップコードを使用したログインがありました',
  }),
  backupUsedHeading: defineText({
    en: 'A backup code was used',
    de: 'Ein Ersatzcode wurde verwendet',
    fr: 'Un code de secours a été utilisé',
    es: 'Se ha usado un código de respaldo',
    'pt-BR': 'Um código de backup foi usado',
    ja: 'バックアップコードが使用されました',
  }),
  backupUsed: defineText({
    en: 'Someone signed in to your account with one of your backup codes. That code no longer works.',
    de: 'Jemand hat sich mit einem Ihrer Ersatzcodes bei Ihrem Konto angemeldet. Dieser Code funktioniert nicht mehr.',
    fr: 'Quelqu’un s’est connecté à votre compte avec l’un de vos codes de secours. Ce code ne fonctionne plus.',
    es: 'Alguien ha iniciado sesión en su cuenta con uno de sus códigos de respaldo. Ese código ya no funciona.',
    'pt-BR': 'Alguém entrou na sua conta com um dos seus códigos de backup. Esse código não funciona mais.',
    ja: 'お客様のバックアップコードを使用して、アカウントへのログインが行われました。そのコードはもう使用できません。',
  }),
  lastBackupCode: defineText({
    en: 'It was your last one: create new ones.',
    de: 'Es war Ihr letzter: Erstellen Sie neue.',
    fr: 'C’était le dernier : créez-en de nouveaux.',
    es: 'Era el último: cree códigos nuevos.',
    'pt-BR': 'Era o último: crie novos códigos.',
    ja: 'これが最後のコードでした。新しいコードを作成してください。',
  }),
  backupCodesLeft: defineCount({
    en: { one: 'You have {count} left.', other: 'You have {count} left.' },
    de: { one: 'Sie haben noch {count} Code.', other: 'Sie haben noch {count} Codes.' },
    fr: { one: 'Il vous en reste {count}.', other: 'Il vous en reste {count}.' },
    es: { one: 'Le queda {count}.', other: 'Le quedan {count}.' },
    'pt-BR': { one: 'Resta {count} código.', other: 'Restam {count} códigos.' },
    ja: { other: '残りは{count}個です。' },
  }),
  smsCode: defineSmsText({
    en: '{code} is your code. It works for {span}. Do not share it.',
    de: '{code} ist Ihr Code. Er gilt {span}. Geben Sie ihn nicht weiter.',
    fr: '{code} est votre code, valable {span}. Ne le partagez pas.',
    es: 'Su clave es {code}. Vale {span}. No la comparta.',
    'pt-BR': 'Use {code} para continuar. Vale por {span}. Mantenha em segredo.',
    ja: '認証コードは{code}です。{span}間有効です。他人に教えないでください。',
  }),
}

/** By what the second step is. */
export const enrolledSays = {
  app: defineText({
    en: 'From now on, signing in to your account also requires a code from an authenticator app.',
    de: 'Ab jetzt ist für die Anmeldung bei Ihrem Konto zusätzlich ein Code aus einer Authenticator-App nötig.',
    fr: 'Désormais, la connexion à votre compte exige aussi un code d’une application d’authentification.',
    es: 'A partir de ahora, para iniciar sesión en su cuenta también se necesita un código de una aplicación de autenticación.',
    'pt-BR':
      'De agora em diante, para entrar na sua conta também é necessário um código de um aplicativo autenticador.',
    ja: '今後、アカウントへのログインには、認証アプリのコードも必要になります。',
  }),
  phone: defineText({
    en: 'From now on, signing in to your account also requires a code from a phone.',
    de: 'Ab jetzt ist für die Anmeldung bei Ihrem Konto zusätzlich ein Code nötig, der an ein Telefon gesendet wird.',
    fr: 'Désormais, la connexion à votre compte exige aussi un code envoyé à un téléphone.',
    es: 'A partir de ahora, para iniciar sesión en su cuenta también se necesita un código enviado a un teléfono.',
    'pt-BR': 'De agora em diante, para entrar na sua conta também é necessário um código enviado a um telefone.',
    ja: '今後、アカウントへのログインには、電話に送信されるコードも必要になります。',
  }),
}

export const removedSays = {
  app: defineText({
    en: 'Signing in to your account no longer requires a code from an authenticator app.',
    de: 'Für die Anmeldung bei Ihrem Konto ist kein Code aus einer Authenticator-App mehr nötig.',
    fr: 'La connexion à votre compte n’exige plus de code d’une application d’authentification.',
    es: 'Para iniciar sesión en su cuenta ya no se necesita un código de una aplicación de autenticación.',
    'pt-BR': 'Para entrar na sua conta não é mais necessário um código de um aplicativo autenticador.',
    ja: 'アカウントへのログインに、認証アプリのコードは不要になりました。',
  }),
  phone: defineText({
    en: 'Signing in to your account no longer requires a code from a phone.',
    de: 'Für die Anmeldung bei Ihrem Konto ist kein Code mehr nötig, der an ein Telefon gesendet wird.',
    fr: 'La connexion à votre compte n’exige plus de code envoyé à un téléphone.',
    es: 'Para iniciar sesión en su cuenta ya no se necesita un código enviado a un teléfono.',
    'pt-BR': 'Para entrar na sua conta não é mais necessário um código enviado a um telefone.',
    ja: 'アカウントへのログインに、電話に送信されるコードは不要になりました。',
  }),
}
