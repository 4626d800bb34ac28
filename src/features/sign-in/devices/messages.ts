import { defineText } from '../../../platform/messages/texts.ts'

export const says = {
  newSignIn: defineText({
    en: 'New sign-in to your account',
    de: 'Neue Anmeldung bei Ihrem Konto',
    fr: 'Nouvelle connexion à votre compte',
    es: 'Nuevo inicio de sesión en su cuenta',
    'pt-BR': 'Novo acesso à sua conta',
    ja: 'アカウントへの新しいログインがありました',
  }),
  signedIn: defineText({
    en: 'Your account was signed in to from a device or network that was not used in the last 90 days:',
    de: 'Bei Ihrem Konto gab es eine Anmeldung von einem Gerät oder aus einem Netz, das in den letzten 90 Tagen nicht verwendet wurde:',
    fr: 'Une connexion à votre compte a eu lieu depuis un appareil ou un réseau qui n’a pas été utilisé ces 90 derniers jours :',
    es: 'Se ha iniciado sesión en su cuenta desde un dispositivo o una red que no se ha usado en los últimos 90 días:',
    'pt-BR': 'Sua conta foi acessada a partir de um dispositivo ou de uma rede que não foi usada nos últimos 90 dias:',
    ja: '過去90日間に使用されていない端末またはネットワークから、アカウントへのログインがありました：',
  }),
  from: defineText({
    en: '{program}, from the address {ip}',
    de: '{program}, von der Adresse {ip}',
    fr: '{program}, depuis l’adresse {ip}',
    es: '{program}, desde la dirección {ip}',
    'pt-BR': '{program}, a partir do endereço {ip}',
    ja: '{program}（IPアドレス：{ip}）',
  }),
  fromUnknown: defineText({
    en: '{program}, from an unknown address',
    de: '{program}, von einer unbekannten Adresse',
    fr: '{program}, depuis une adresse inconnue',
    es: '{program}, desde una dirección desconocida',
    'pt-BR': '{program}, a partir de um endereço desconhecido',
    ja: '{program}（IPアドレス：不明）',
  }),
  endSessions: defineText({
    en: 'If it was not you, end every session now.',
    de: 'Wenn Sie das nicht waren, beenden Sie jetzt alle Sitzungen.',
    fr: 'Si ce n’était pas vous, mettez fin à toutes les sessions maintenant.',
    es: 'Si no ha sido usted, cierre ahora todas las sesiones.',
    'pt-BR': 'Se não foi você, encerre todas as sessões agora.',
    ja: 'お心当たりがない場合は、今すぐすべてのセッションを終了してください。',
  }),
}

/** The program that somebody signed in with, as far as it is known. */
export const programSays = {
  none: defineText({
    en: 'an unknown program',
    de: 'ein unbekanntes Programm',
    fr: 'un programme inconnu',
    es: 'un programa desconocido',
    'pt-BR': 'um programa desconhecido',
    ja: '不明なプログラム',
  }),
  unknown: defineText({
    en: 'An unknown program',
    de: 'Ein unbekanntes Programm',
    fr: 'Un programme inconnu',
    es: 'Un programa desconocido',
    'pt-BR': 'Um programa desconhecido',
    ja: '不明なプログラム',
  }),
  app: defineText({
    en: 'An app on {system}',
    de: 'Eine App unter {system}',
    fr: 'Une application sous {system}',
    es: 'Una aplicación en {system}',
    'pt-BR': 'Um aplicativo no {system}',
    ja: '{system} のアプリ',
  }),
  browser: defineText({
    en: '{browser} on {system}',
    de: '{browser} unter {system}',
    fr: '{browser} sous {system}',
    es: '{browser} en {system}',
    'pt-BR': '{browser} no {system}',
    ja: '{system} の {browser}',
  }),
}
