import { defineText } from '../../../platform/messages/texts.ts'

export const says = {
  disabled: defineText({
    en: 'A webhook was disabled',
    de: 'Ein Webhook wurde deaktiviert',
    fr: 'Un webhook a été désactivé',
    es: 'Se ha desactivado un webhook',
    'pt-BR': 'Um webhook foi desativado',
    ja: 'Webhookが無効になりました',
  }),
  gone: defineText({
    en: 'The webhook “{name}” gets no more events. It answered that it is gone for good (410). Its address is {origin}.',
    de: 'Der Webhook „{name}“ erhält keine Ereignisse mehr. Er hat geantwortet, dass es ihn endgültig nicht mehr gibt (410). Seine Adresse ist {origin}.',
    fr: 'Le webhook « {name} » ne reçoit plus d’événements. Il a répondu qu’il n’existe définitivement plus (410). Son adresse est {origin}.',
    es: 'El webhook «{name}» ya no recibe eventos. Respondió que ha dejado de existir definitivamente (410). Su dirección es {origin}.',
    'pt-BR':
      'O webhook “{name}” não recebe mais eventos. Ele respondeu que deixou de existir definitivamente (410). Seu endereço é {origin}.',
    ja: 'Webhook「{name}」にはイベントが送信されなくなりました。恒久的に廃止されたという応答（410）がありました。アドレスは {origin} です。',
  }),
  failing: defineText({
    en: 'The webhook “{name}” gets no more events. Everything sent to it for five days has failed. Its address is {origin}.',
    de: 'Der Webhook „{name}“ erhält keine Ereignisse mehr. Alles, was fünf Tage lang an ihn gesendet wurde, ist fehlgeschlagen. Seine Adresse ist {origin}.',
    fr: 'Le webhook « {name} » ne reçoit plus d’événements. Tout ce qui lui a été envoyé pendant cinq jours a échoué. Son adresse est {origin}.',
    es: 'El webhook «{name}» ya no recibe eventos. Todo lo que se le ha enviado durante cinco días ha fallado. Su dirección es {origin}.',
    'pt-BR':
      'O webhook “{name}” não recebe mais eventos. Tudo o que foi enviado a ele durante cinco dias falhou. Seu endereço é {origin}.',
    ja: 'Webhook「{name}」にはイベントが送信されなくなりました。5日間、すべての送信が失敗しました。アドレスは {origin} です。',
  }),
  waits: defineText({
    en: 'What waited for it is sent once it is enabled again, for 30 days at most; a replay sends what happened meanwhile.',
    de: 'Was auf ihn wartete, wird gesendet, sobald er wieder aktiviert ist, höchstens 30 Tage lang; eine Wiederholung sendet, was inzwischen geschehen ist.',
    fr: 'Ce qui l’attendait est envoyé dès qu’il est réactivé, pendant 30 jours au plus ; une relecture envoie ce qui s’est produit entre-temps.',
    es: 'Lo que estaba pendiente se envía en cuanto se vuelva a activar, durante 30 días como máximo; una repetición envía lo ocurrido mientras tanto.',
    'pt-BR':
      'O que estava pendente é enviado assim que ele for reativado, por no máximo 30 dias; uma repetição envia o que ocorreu nesse meio-tempo.',
    ja: '待機中のイベントは、最長30日以内に再び有効にすると送信されます。その間に発生したイベントは、再送で送信できます。',
  }),
  team: defineText({
    en: 'You get this email because you are on the team of the account.',
    de: 'Sie erhalten diese E-Mail, weil Sie zum Team des Kontos gehören.',
    fr: 'Vous recevez cet e-mail parce que vous faites partie de l’équipe du compte.',
    es: 'Recibe este correo porque forma parte del equipo de la cuenta.',
    'pt-BR': 'Você recebe este e-mail porque faz parte da equipe da conta.',
    ja: 'このメールは、アカウントのチームメンバーにお送りしています。',
  }),
}
