import { defineText } from '../../../platform/messages/texts.ts'
import { says } from './messages.ts'

const nothingChanged = defineText({
  en: 'Nothing was changed',
  de: 'Es wurde nichts geändert',
  fr: 'Rien n’a été modifié',
  es: 'No se ha cambiado nada',
  'pt-BR': 'Nada foi alterado',
  ja: '何も変更されていません',
})

/** By error code, and for a right token that is no longer live by the reason: the title, and what to do. */
export const refusalsSay = {
  token_invalid: {
    title: says.doesNotWork,
    text: defineText({
      en: 'Part of it may be missing: open it from the email again, or copy all of it.',
      de: 'Vielleicht fehlt ein Teil: Öffnen Sie ihn noch einmal aus der E-Mail, oder kopieren Sie ihn ganz.',
      fr: 'Il en manque peut-être une partie : ouvrez-le de nouveau depuis l’e-mail, ou copiez-le en entier.',
      es: 'Es posible que falte una parte: ábralo de nuevo desde el correo o cópielo entero.',
      'pt-BR': 'Pode faltar uma parte: abra-o novamente a partir do e-mail ou copie-o por inteiro.',
      ja: '一部が欠けている可能性があります。メールからもう一度開くか、全体をコピーしてください。',
    }),
  },
  withdrawn: {
    title: defineText({
      en: 'This link is no longer valid',
      de: 'Dieser Link ist nicht mehr gültig',
      fr: 'Ce lien n’est plus valable',
      es: 'Este enlace ya no es válido',
      'pt-BR': 'Este link não é mais válido',
      ja: 'このリンクは無効になりました',
    }),
    text: defineText({
      en: 'It was withdrawn, or a newer one was sent to you.',
      de: 'Er wurde zurückgezogen, oder Ihnen wurde ein neuerer gesendet.',
      fr: 'Il a été retiré, ou un plus récent vous a été envoyé.',
      es: 'Se ha retirado, o se le ha enviado uno más reciente.',
      'pt-BR': 'Ele foi retirado, ou um mais recente foi enviado a você.',
      ja: '取り消されたか、新しいリンクが送信されています。',
    }),
  },
  token_expired: {
    title: defineText({
      en: 'This link has expired',
      de: 'Dieser Link ist abgelaufen',
      fr: 'Ce lien a expiré',
      es: 'Este enlace ha caducado',
      'pt-BR': 'Este link expirou',
      ja: 'このリンクは有効期限が切れています',
    }),
    text: defineText({
      en: 'Links in emails work only for a limited time.',
      de: 'Links in E-Mails funktionieren nur für begrenzte Zeit.',
      fr: 'Les liens des e-mails ne fonctionnent que pendant un temps limité.',
      es: 'Los enlaces de los correos solo funcionan durante un tiempo limitado.',
      'pt-BR': 'Os links dos e-mails funcionam apenas por um tempo limitado.',
      ja: 'メールのリンクは、一定の時間だけ使用できます。',
    }),
  },
  credential_exists: {
    title: defineText({
      en: 'You already have a password',
      de: 'Sie haben bereits ein Passwort',
      fr: 'Vous avez déjà un mot de passe',
      es: 'Ya tiene una contraseña',
      'pt-BR': 'Você já tem uma senha',
      ja: 'パスワードはすでに設定されています',
    }),
    text: defineText({
      en: 'Sign in with it. If you forgot it, reset it there.',
      de: 'Melden Sie sich damit an. Wenn Sie es vergessen haben, setzen Sie es dort zurück.',
      fr: 'Connectez-vous avec celui-ci. Si vous l’avez oublié, réinitialisez-le à cet endroit.',
      es: 'Inicie sesión con ella. Si la ha olvidado, restablézcala allí.',
      'pt-BR': 'Entre com ela. Se a esqueceu, redefina-a lá.',
      ja: 'そのパスワードでログインしてください。お忘れの場合は、ログイン画面で再設定してください。',
    }),
  },
  user_locked: {
    title: defineText({
      en: 'Your account is locked',
      de: 'Ihr Konto ist gesperrt',
      fr: 'Votre compte est verrouillé',
      es: 'Su cuenta está bloqueada',
      'pt-BR': 'Sua conta está bloqueada',
      ja: 'アカウントはロックされています',
    }),
    text: defineText({
      en: 'Ask your administrator to unlock it.',
      de: 'Bitten Sie Ihren Administrator, die Sperre aufzuheben.',
      fr: 'Demandez à votre administrateur de le déverrouiller.',
      es: 'Pida a su administrador que la desbloquee.',
      'pt-BR': 'Peça ao seu administrador para desbloqueá-la.',
      ja: '管理者にロックの解除を依頼してください。',
    }),
  },
  user_inactive: {
    title: defineText({
      en: 'Your account is deactivated',
      de: 'Ihr Konto ist deaktiviert',
      fr: 'Votre compte est désactivé',
      es: 'Su cuenta está desactivada',
      'pt-BR': 'Sua conta está desativada',
      ja: 'アカウントは無効になっています',
    }),
    text: defineText({
      en: 'Ask your administrator to reactivate it.',
      de: 'Bitten Sie Ihren Administrator, es wieder zu aktivieren.',
      fr: 'Demandez à votre administrateur de le réactiver.',
      es: 'Pida a su administrador que la reactive.',
      'pt-BR': 'Peça ao seu administrador para reativá-la.',
      ja: '管理者に再有効化を依頼してください。',
    }),
  },
  organization_suspended: {
    title: defineText({
      en: 'Sign-in is closed',
      de: 'Die Anmeldung ist geschlossen',
      fr: 'La connexion est fermée',
      es: 'El inicio de sesión está cerrado',
      'pt-BR': 'O acesso está fechado',
      ja: 'ログインは停止されています',
    }),
    text: defineText({
      en: 'Your organization is suspended: ask your administrator.',
      de: 'Ihre Organisation ist gesperrt: Wenden Sie sich an Ihren Administrator.',
      fr: 'Votre organisation est suspendue : adressez-vous à votre administrateur.',
      es: 'Su organización está suspendida: consulte a su administrador.',
      'pt-BR': 'Sua organização está suspensa: fale com o seu administrador.',
      ja: 'お客様の組織は停止されています。管理者にお問い合わせください。',
    }),
  },
  email_exists: {
    title: defineText({
      en: 'This address is taken',
      de: 'Diese Adresse ist vergeben',
      fr: 'Cette adresse est déjà utilisée',
      es: 'Esta dirección ya está en uso',
      'pt-BR': 'Este endereço já está em uso',
      ja: 'このアドレスはすでに使用されています',
    }),
    text: defineText({
      en: 'Somebody else has it by now: nothing was changed.',
      de: 'Inzwischen hat sie jemand anders: Es wurde nichts geändert.',
      fr: 'Quelqu’un d’autre l’a entre-temps : rien n’a été modifié.',
      es: 'Ahora la tiene otra persona: no se ha cambiado nada.',
      'pt-BR': 'Outra pessoa o tem agora: nada foi alterado.',
      ja: '現在は別の人が使用しています。何も変更されていません。',
    }),
  },
  scim_managed: {
    title: nothingChanged,
    text: defineText({
      en: 'Your organization sets your address: ask your administrator.',
      de: 'Ihre Organisation legt Ihre Adresse fest: Wenden Sie sich an Ihren Administrator.',
      fr: 'Votre organisation définit votre adresse : adressez-vous à votre administrateur.',
      es: 'Su organización establece su dirección: consulte a su administrador.',
      'pt-BR': 'Sua organização define o seu endereço: fale com o seu administrador.',
      ja: 'アドレスはお客様の組織が設定しています。管理者にお問い合わせください。',
    }),
  },
  sso_required: {
    title: nothingChanged,
    text: defineText({
      en: 'Your organization signs in elsewhere: ask your administrator.',
      de: 'Ihre Organisation meldet sich anderswo an: Wenden Sie sich an Ihren Administrator.',
      fr: 'Votre organisation se connecte ailleurs : adressez-vous à votre administrateur.',
      es: 'Su organización inicia sesión en otro lugar: consulte a su administrador.',
      'pt-BR': 'Sua organização entra por outro lugar: fale com o seu administrador.',
      ja: 'お客様の組織では、別の場所からログインします。管理者にお問い合わせください。',
    }),
  },
  service_disabled: {
    title: defineText({
      en: 'This is turned off',
      de: 'Dies ist abgeschaltet',
      fr: 'Cette fonction est désactivée',
      es: 'Esta función está desactivada',
      'pt-BR': 'Este recurso está desativado',
      ja: 'この機能は無効になっています',
    }),
    text: defineText({
      en: 'Your organization does not use this. Sign in another way.',
      de: 'Ihre Organisation verwendet dies nicht. Melden Sie sich auf andere Weise an.',
      fr: 'Votre organisation ne l’utilise pas. Connectez-vous autrement.',
      es: 'Su organización no la usa. Inicie sesión de otra forma.',
      'pt-BR': 'Sua organização não o usa. Entre de outra forma.',
      ja: 'お客様の組織では使用されていません。別の方法でログインしてください。',
    }),
  },
  method_disabled: {
    title: defineText({
      en: 'Passwords are turned off',
      de: 'Passwörter sind abgeschaltet',
      fr: 'Les mots de passe sont désactivés',
      es: 'Las contraseñas están desactivadas',
      'pt-BR': 'As senhas estão desativadas',
      ja: 'パスワードは無効になっています',
    }),
    text: defineText({
      en: 'Your organization does not use passwords. Sign in another way.',
      de: 'Ihre Organisation verwendet keine Passwörter. Melden Sie sich auf andere Weise an.',
      fr: 'Votre organisation n’utilise pas de mots de passe. Connectez-vous autrement.',
      es: 'Su organización no usa contraseñas. Inicie sesión de otra forma.',
      'pt-BR': 'Sua organização não usa senhas. Entre de outra forma.',
      ja: 'お客様の組織ではパスワードが使用されていません。別の方法でログインしてください。',
    }),
  },
  password_reset_disabled: {
    title: defineText({
      en: 'This is turned off',
      de: 'Dies ist abgeschaltet',
      fr: 'Cette fonction est désactivée',
      es: 'Esta función está desactivada',
      'pt-BR': 'Este recurso está desativado',
      ja: 'この機能は無効になっています',
    }),
    text: defineText({
      en: 'Passwords cannot be reset by email here: ask your administrator for a new one.',
      de: 'Passwörter können hier nicht per E-Mail zurückgesetzt werden: Bitten Sie Ihren Administrator um ein neues.',
      fr: 'Les mots de passe ne peuvent pas être réinitialisés par e-mail ici : demandez-en un nouveau à votre administrateur.',
      es: 'Aquí las contraseñas no se pueden restablecer por correo: pida una nueva a su administrador.',
      'pt-BR': 'Aqui as senhas não podem ser redefinidas por e-mail: peça uma nova ao seu administrador.',
      ja: 'ここでは、メールでパスワードを再設定できません。管理者に新しいパスワードを依頼してください。',
    }),
  },
}

export const usedTitle = defineText({
  en: 'This link was already used',
  de: 'Dieser Link wurde bereits verwendet',
  fr: 'Ce lien a déjà été utilisé',
  es: 'Este enlace ya se ha utilizado',
  'pt-BR': 'Este link já foi usado',
  ja: 'このリンクはすでに使用されています',
})

export const lockedSays = {
  title: defineText({
    en: 'Your account is locked for a while',
    de: 'Ihr Konto ist vorübergehend gesperrt',
    fr: 'Votre compte est verrouillé pour un certain temps',
    es: 'Su cuenta está bloqueada temporalmente',
    'pt-BR': 'Sua conta está bloqueada temporariamente',
    ja: 'アカウントは一時的にロックされています',
  }),
  text: defineText({
    en: 'A wrong password was entered too often. Come back in {span}, or follow the link in the email about the lock.',
    de: 'Es wurde zu oft ein falsches Passwort eingegeben. Versuchen Sie es später wieder (Wartezeit: {span}), oder folgen Sie dem Link in der E-Mail über die Sperre.',
    fr: 'Un mot de passe erroné a été saisi trop de fois. Revenez dans {span}, ou suivez le lien de l’e-mail sur le verrouillage.',
    es: 'Se ha introducido una contraseña incorrecta demasiadas veces. Vuelva en {span} o siga el enlace del correo sobre el bloqueo.',
    'pt-BR':
      'Uma senha incorreta foi digitada muitas vezes. Volte em {span} ou acesse o link do e-mail sobre o bloqueio.',
    ja: '誤ったパスワードが何度も入力されました。{span}後にもう一度お試しいただくか、ロックに関するメールのリンクを開いてください。',
  }),
}
