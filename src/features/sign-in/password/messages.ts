import { defineText } from '../../../platform/messages/texts.ts'

export const says = {
  choose: defineText({
    en: 'Choose a new password',
    de: 'Wählen Sie ein neues Passwort',
    fr: 'Choisissez un nouveau mot de passe',
    es: 'Elija una nueva contraseña',
    'pt-BR': 'Escolha uma nova senha',
    ja: '新しいパスワードを設定してください',
  }),
  requested: defineText({
    en: 'A password reset was requested for your account. Follow the link to choose a new password.',
    de: 'Für Ihr Konto wurde angefordert, das Passwort zurückzusetzen. Folgen Sie dem Link, um ein neues Passwort zu wählen.',
    fr: 'La réinitialisation du mot de passe de votre compte a été demandée. Suivez le lien pour choisir un nouveau mot de passe.',
    es: 'Se ha solicitado restablecer la contraseña de su cuenta. Siga el enlace para elegir una nueva contraseña.',
    'pt-BR': 'Foi solicitada a redefinição da senha da sua conta. Acesse o link para escolher uma nova senha.',
    ja: 'アカウントのパスワードの再設定が申請されました。リンクを開いて、新しいパスワードを設定してください。',
  }),
  chooseLabel: defineText({
    en: 'Choose a password',
    de: 'Passwort wählen',
    fr: 'Choisir un mot de passe',
    es: 'Elegir una contraseña',
    'pt-BR': 'Escolher uma senha',
    ja: 'パスワードを設定する',
  }),
  staysTheSame: defineText({
    en: 'The link works once, within {span}. If you did not ask for it, ignore this email: your password stays the same.',
    de: 'Der Link funktioniert nur einmal und ist {span} lang gültig. Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese E-Mail: Ihr Passwort bleibt unverändert.',
    fr: 'Le lien ne fonctionne qu’une fois et reste valable {span}. Si vous ne l’avez pas demandé, ignorez cet e-mail : votre mot de passe reste le même.',
    es: 'El enlace funciona una sola vez y es válido durante {span}. Si no lo ha solicitado, ignore este correo: su contraseña no cambia.',
    'pt-BR':
      'O link funciona uma única vez e é válido por {span}. Se você não o solicitou, ignore este e-mail: a sua senha continua a mesma.',
    ja: 'このリンクは{span}以内に1回だけ使用できます。お心当たりがない場合は、このメールを無視してください。パスワードは変更されません。',
  }),
  changed: defineText({
    en: 'Your password was changed',
    de: 'Ihr Passwort wurde geändert',
    fr: 'Votre mot de passe a été modifié',
    es: 'Se ha cambiado su contraseña',
    'pt-BR': 'Sua senha foi alterada',
    ja: 'パスワードが変更されました',
  }),
  changedUnexpected: defineText({
    en: 'If you did not expect this, tell your administrator and choose a new password at once.',
    de: 'Wenn Sie das nicht erwartet haben, wenden Sie sich an Ihren Administrator und wählen Sie sofort ein neues Passwort.',
    fr: 'Si vous ne vous y attendiez pas, prévenez votre administrateur et choisissez immédiatement un nouveau mot de passe.',
    es: 'Si no lo esperaba, avise a su administrador y elija de inmediato una nueva contraseña.',
    'pt-BR': 'Se você não esperava por isso, avise o seu administrador e escolha uma nova senha imediatamente.',
    ja: 'お心当たりがない場合は、管理者に知らせ、直ちに新しいパスワードを設定してください。',
  }),
  lockedSubject: defineText({
    en: 'Your account was locked',
    de: 'Ihr Konto wurde gesperrt',
    fr: 'Votre compte a été verrouillé',
    es: 'Su cuenta ha sido bloqueada',
    'pt-BR': 'Sua conta foi bloqueada',
    ja: 'アカウントがロックされました',
  }),
  lockedHeading: defineText({
    en: 'Your account is locked for a while',
    de: 'Ihr Konto ist vorübergehend gesperrt',
    fr: 'Votre compte est verrouillé pour un certain temps',
    es: 'Su cuenta está bloqueada temporalmente',
    'pt-BR': 'Sua conta está bloqueada temporariamente',
    ja: 'アカウントは一時的にロックされています',
  }),
  othersWork: defineText({
    en: 'Other ways to sign in go on working, and so do devices that are signed in.',
    de: 'Andere Anmeldewege funktionieren weiterhin, ebenso bereits angemeldete Geräte.',
    fr: 'Les autres moyens de se connecter continuent de fonctionner, tout comme les appareils déjà connectés.',
    es: 'Las demás formas de iniciar sesión siguen funcionando, así como los dispositivos con la sesión iniciada.',
    'pt-BR': 'As outras formas de entrar continuam funcionando, assim como os dispositivos já conectados.',
    ja: '他のログイン方法と、ログイン済みの端末は引き続き使用できます。',
  }),
  mayUnlock: defineText({
    en: 'If it was you, you can unlock it now.',
    de: 'Wenn Sie es selbst waren, können Sie es jetzt entsperren.',
    fr: 'Si c’était vous, vous pouvez le déverrouiller maintenant.',
    es: 'Si ha sido usted, puede desbloquearla ahora.',
    'pt-BR': 'Se foi você, pode desbloqueá-la agora.',
    ja: 'ご本人による操作の場合は、今すぐロックを解除できます。',
  }),
  unlock: defineText({
    en: 'Unlock my account',
    de: 'Mein Konto entsperren',
    fr: 'Déverrouiller mon compte',
    es: 'Desbloquear mi cuenta',
    'pt-BR': 'Desbloquear minha conta',
    ja: 'ロックを解除する',
  }),
  safe: defineText({
    en: 'If it was not you, your account is safe: leave it locked, and choose a longer password if yours is short.',
    de: 'Wenn Sie das nicht waren, ist Ihr Konto sicher: Lassen Sie es gesperrt, und wählen Sie ein längeres Passwort, falls Ihres kurz ist.',
    fr: 'Si ce n’était pas vous, votre compte est en sécurité : laissez-le verrouillé, et choisissez un mot de passe plus long si le vôtre est court.',
    es: 'Si no ha sido usted, su cuenta está a salvo: déjela bloqueada y elija una contraseña más larga si la suya es corta.',
    'pt-BR':
      'Se não foi você, sua conta está segura: deixe-a bloqueada e escolha uma senha mais longa se a sua for curta.',
    ja: 'お心当たりがない場合も、アカウントは安全です。ロックされたままにし、パスワードが短い場合はより長いものに変更してください。',
  }),
}

/** By who changed it. */
export const changedSays = {
  user: defineText({
    en: 'The password of your account has just been changed.',
    de: 'Das Passwort Ihres Kontos wurde soeben geändert.',
    fr: 'Le mot de passe de votre compte vient d’être modifié.',
    es: 'Se acaba de cambiar la contraseña de su cuenta.',
    'pt-BR': 'A senha da sua conta acabou de ser alterada.',
    ja: 'アカウントのパスワードが変更されました。',
  }),
  administrator: defineText({
    en: 'An administrator has just set a new password for your account.',
    de: 'Ein Administrator hat soeben ein neues Passwort für Ihr Konto festgelegt.',
    fr: 'Un administrateur vient de définir un nouveau mot de passe pour votre compte.',
    es: 'Un administrador acaba de establecer una nueva contraseña para su cuenta.',
    'pt-BR': 'Um administrador acabou de definir uma nova senha para a sua conta.',
    ja: '管理者がアカウントに新しいパスワードを設定しました。',
  }),
}

/** By where guesses came from, and what they shut. */
export const lockedSays = {
  account: {
    password: defineText({
      en: 'A wrong password was entered too often. No one can sign in with the password until the lock expires.',
      de: 'Es wurde zu oft ein falsches Passwort eingegeben. Bis die Sperre abläuft, kann sich niemand mit dem Passwort anmelden.',
      fr: 'Un mot de passe erroné a été saisi trop de fois. Personne ne peut se connecter avec le mot de passe avant la fin du verrouillage.',
      es: 'Se ha introducido una contraseña incorrecta demasiadas veces. Nadie puede iniciar sesión con la contraseña hasta que termine el bloqueo.',
      'pt-BR':
        'Uma senha incorreta foi digitada muitas vezes. Ninguém pode entrar com a senha até que o bloqueio termine.',
      ja: '誤ったパスワードが何度も入力されました。ロックが解除されるまで、パスワードではログインできません。',
    }),
    all: defineText({
      en: 'A wrong password was entered too often. No one can sign in to your account until the lock expires.',
      de: 'Es wurde zu oft ein falsches Passwort eingegeben. Bis die Sperre abläuft, kann sich niemand bei Ihrem Konto anmelden.',
      fr: 'Un mot de passe erroné a été saisi trop de fois. Personne ne peut se connecter à votre compte avant la fin du verrouillage.',
      es: 'Se ha introducido una contraseña incorrecta demasiadas veces. Nadie puede iniciar sesión en su cuenta hasta que termine el bloqueo.',
      'pt-BR':
        'Uma senha incorreta foi digitada muitas vezes. Ninguém pode entrar na sua conta até que o bloqueio termine.',
      ja: '誤ったパスワードが何度も入力されました。ロックが解除されるまで、アカウントにはログインできません。',
    }),
  },
  network: {
    password: defineText({
      en: 'A wrong password was entered too often from one network. No one can sign in with the password from there until the lock expires.',
      de: 'Aus einem Netz wurde zu oft ein falsches Passwort eingegeben. Bis die Sperre abläuft, kann sich von dort niemand mit dem Passwort anmelden.',
      fr: 'Un mot de passe erroné a été saisi trop de fois depuis un même réseau. Personne ne peut se connecter de là avec le mot de passe avant la fin du verrouillage.',
      es: 'Se ha introducido una contraseña incorrecta demasiadas veces desde una misma red. Nadie puede iniciar sesión desde allí con la contraseña hasta que termine el bloqueo.',
      'pt-BR':
        'Uma senha incorreta foi digitada muitas vezes a partir de uma mesma rede. Ninguém pode entrar de lá com a senha até que o bloqueio termine.',
      ja: '1つのネットワークから誤ったパスワードが何度も入力されました。ロックが解除されるまで、そのネットワークからパスワードではログインできません。',
    }),
    all: defineText({
      en: 'A wrong password was entered too often from one network. No one can sign in to your account from there until the lock expires.',
      de: 'Aus einem Netz wurde zu oft ein falsches Passwort eingegeben. Bis die Sperre abläuft, kann sich von dort niemand bei Ihrem Konto anmelden.',
      fr: 'Un mot de passe erroné a été saisi trop de fois depuis un même réseau. Personne ne peut se connecter de là à votre compte avant la fin du verrouillage.',
      es: 'Se ha introducido una contraseña incorrecta demasiadas veces desde una misma red. Nadie puede iniciar sesión desde allí en su cuenta hasta que termine el bloqueo.',
      'pt-BR':
        'Uma senha incorreta foi digitada muitas vezes a partir de uma mesma rede. Ninguém pode entrar de lá na sua conta até que o bloqueio termine.',
      ja: '1つのネットワークから誤ったパスワードが何度も入力されました。ロックが解除されるまで、そのネットワークからアカウントにログインできません。',
    }),
  },
}
