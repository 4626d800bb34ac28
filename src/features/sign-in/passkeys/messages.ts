import { defineCount, defineText } from '../../../platform/messages/texts.ts'

export const says = {
  added: defineText({
    en: 'A passkey was added to your account',
    de: 'Ihrem Konto wurde ein Passkey hinzugefügt',
    fr: 'Une clé d’accès a été ajoutée à votre compte',
    es: 'Se ha añadido una llave de acceso a su cuenta',
    'pt-BR': 'Uma chave de acesso foi adicionada à sua conta',
    ja: 'アカウントにパスキーが追加されました',
  }),
  signsIn: defineText({
    en: 'You can now sign in with it, without a password or a code.',
    de: 'Sie können sich jetzt damit anmelden, ohne Passwort und ohne Code.',
    fr: 'Vous pouvez désormais vous connecter avec elle, sans mot de passe ni code.',
    es: 'Ahora puede iniciar sesión con ella, sin contraseña ni código.',
    'pt-BR': 'Agora você pode entrar com ela, sem senha nem código.',
    ja: '今後はこのパスキーで、パスワードやコードなしでログインできます。',
  }),
  namedSignsIn: defineText({
    en: 'You can now sign in with it ({name}), without a password or a code.',
    de: 'Sie können sich jetzt damit anmelden ({name}), ohne Passwort und ohne Code.',
    fr: 'Vous pouvez désormais vous connecter avec elle ({name}), sans mot de passe ni code.',
    es: 'Ahora puede iniciar sesión con ella ({name}), sin contraseña ni código.',
    'pt-BR': 'Agora você pode entrar com ela ({name}), sem senha nem código.',
    ja: '今後はこのパスキー（{name}）で、パスワードやコードなしでログインできます。',
  }),
  removed: defineText({
    en: 'A passkey was removed from your account',
    de: 'Ein Passkey wurde aus Ihrem Konto entfernt',
    fr: 'Une clé d’accès a été retirée de votre compte',
    es: 'Se ha eliminado una llave de acceso de su cuenta',
    'pt-BR': 'Uma chave de acesso foi removida da sua conta',
    ja: 'アカウントからパスキーが削除されました',
  }),
  signsInNoMore: defineText({
    en: 'It no longer signs you in. You can also delete it from your device.',
    de: 'Er meldet Sie nicht mehr an. Sie können ihn auch von Ihrem Gerät löschen.',
    fr: 'Elle ne vous connecte plus. Vous pouvez aussi la supprimer de votre appareil.',
    es: 'Ya no sirve para iniciar sesión. También puede borrarla de su dispositivo.',
    'pt-BR': 'Ela não permite mais que você entre. Você também pode excluí-la do seu dispositivo.',
    ja: 'このパスキーではログインできなくなりました。お使いの端末からも削除できます。',
  }),
  namedSignsInNoMore: defineText({
    en: 'It no longer signs you in ({name}). You can also delete it from your device.',
    de: 'Er meldet Sie nicht mehr an ({name}). Sie können ihn auch von Ihrem Gerät löschen.',
    fr: 'Elle ne vous connecte plus ({name}). Vous pouvez aussi la supprimer de votre appareil.',
    es: 'Ya no sirve para iniciar sesión ({name}). También puede borrarla de su dispositivo.',
    'pt-BR': 'Ela não permite mais que você entre ({name}). Você também pode excluí-la do seu dispositivo.',
    ja: 'このパスキー（{name}）ではログインできなくなりました。お使いの端末からも削除できます。',
  }),
  severalRemoved: defineCount({
    en: {
      one: '{count} passkey was removed from your account',
      other: '{count} passkeys were removed from your account',
    },
    de: {
      one: '{count} Passkey wurde aus Ihrem Konto entfernt',
      other: '{count} Passkeys wurden aus Ihrem Konto entfernt',
    },
    fr: {
      one: '{count} clé d’accès a été retirée de votre compte',
      other: '{count} clés d’accès ont été retirées de votre compte',
    },
    es: {
      one: 'Se ha eliminado {count} llave de acceso de su cuenta',
      other: 'Se han eliminado {count} llaves de acceso de su cuenta',
    },
    'pt-BR': {
      one: '{count} chave de acesso foi removida da sua conta',
      other: '{count} chaves de acesso foram removidas da sua conta',
    },
    ja: { other: 'アカウントから{count}個のパスキーが削除されました' },
  }),
  severalSignInNoMore: defineText({
    en: 'They no longer sign you in. You can also delete them from your devices.',
    de: 'Sie melden Sie nicht mehr an. Sie können sie auch von Ihren Geräten löschen.',
    fr: 'Elles ne vous connectent plus. Vous pouvez aussi les supprimer de vos appareils.',
    es: 'Ya no sirven para iniciar sesión. También puede borrarlas de sus dispositivos.',
    'pt-BR': 'Elas não permitem mais que você entre. Você também pode excluí-las dos seus dispositivos.',
    ja: 'これらのパスキーではログインできなくなりました。お使いの端末からも削除できます。',
  }),
  severalNamedSignInNoMore: defineText({
    en: 'They no longer sign you in: {names}. You can also delete them from your devices.',
    de: 'Sie melden Sie nicht mehr an: {names}. Sie können sie auch von Ihren Geräten löschen.',
    fr: 'Elles ne vous connectent plus : {names}. Vous pouvez aussi les supprimer de vos appareils.',
    es: 'Ya no sirven para iniciar sesión: {names}. También puede borrarlas de sus dispositivos.',
    'pt-BR': 'Elas não permitem mais que você entre: {names}. Você também pode excluí-las dos seus dispositivos.',
    ja: '次のパスキーではログインできなくなりました：{names}。お使いの端末からも削除できます。',
  }),
  unexpected: defineText({
    en: 'If you did not expect this, tell your administrator at once: someone else may be able to sign in as you.',
    de: 'Wenn Sie das nicht erwartet haben, wenden Sie sich sofort an Ihren Administrator: Möglicherweise kann sich jemand anders als Sie anmelden.',
    fr: 'Si vous ne vous y attendiez pas, prévenez immédiatement votre administrateur : quelqu’un d’autre peut peut-être se connecter à votre place.',
    es: 'Si no lo esperaba, avise de inmediato a su administrador: es posible que otra persona pueda iniciar sesión en su nombre.',
    'pt-BR':
      'Se você não esperava por isso, avise imediatamente o seu administrador: outra pessoa pode conseguir entrar no seu lugar.',
    ja: 'お心当たりがない場合は、直ちに管理者にお知らせください。第三者がお客様になりすましてログインできる可能性があります。',
  }),
}
