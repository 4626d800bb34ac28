/**
 * Domains where anyone can get a mailbox, so no organization may claim them. The list has the large providers.
 * Smaller ones are safe without it, since only the provider can set the DNS record.
 */
export const PUBLIC_MAIL: ReadonlySet<string> = new Set(
  `126.com 139.com 163.com 189.cn aim.com alice.it aol.com att.net bellsouth.net bigpond.com bk.ru bluewin.ch
  bol.com.br btinternet.com charter.net comcast.net cox.net daum.net duck.com earthlink.net email.cz email.de
  fastmail.com fastmail.fm foxmail.com free.fr freenet.de gmail.com gmx.at gmx.ch gmx.com gmx.de gmx.net
  googlemail.com hanmail.net hey.com hotmail.be hotmail.ca hotmail.ch hotmail.co.jp hotmail.co.uk hotmail.com
  hotmail.com.ar hotmail.com.br hotmail.de hotmail.es hotmail.fr hotmail.it hotmail.nl hotmail.se hushmail.com
  icloud.com inbox.lv inbox.ru interia.pl juno.com laposte.net libero.it list.ru live.at live.be live.ca live.cn
  live.co.uk live.com live.com.au live.de live.dk live.fr live.it live.jp live.nl live.no live.se mac.com mail.com
  mail.de mail.ru mailbox.org me.com msn.com naver.com netzero.net nifty.com o2.pl onet.pl optonline.net orange.fr
  outlook.at outlook.be outlook.co.id outlook.com outlook.com.ar outlook.com.au outlook.com.br outlook.cz
  outlook.de outlook.dk outlook.es outlook.fr outlook.ie outlook.in outlook.it outlook.jp outlook.kr outlook.pt
  passport.com pm.me posteo.de proton.me protonmail.ch protonmail.com qq.com rambler.ru rediffmail.com rocketmail.com
  rogers.com sbcglobal.net seznam.cz sfr.fr shaw.ca sina.cn sina.com sky.com sohu.com sympatico.ca t-online.de
  talktalk.net telenet.be telus.net terra.com.br tiscali.it tuta.com tuta.io tutamail.com tutanota.com
  tutanota.de ukr.net uol.com.br verizon.net virgilio.it virginmedia.com vodafone.de wanadoo.fr web.de windowslive.com
  wp.pl xtra.co.nz ya.ru yahoo.ca yahoo.co.id yahoo.co.in yahoo.co.jp yahoo.co.kr yahoo.co.nz yahoo.co.th
  yahoo.co.uk yahoo.com yahoo.com.ar yahoo.com.au yahoo.com.br yahoo.com.hk yahoo.com.mx yahoo.com.my yahoo.com.ph
  yahoo.com.sg yahoo.com.tr yahoo.com.tw yahoo.com.vn yahoo.de yahoo.dk yahoo.es yahoo.fr yahoo.gr yahoo.ie
  yahoo.in yahoo.it yahoo.nl yahoo.no yahoo.pl yahoo.ro yahoo.se yandex.by yandex.com yandex.kz yandex.ru yeah.net
  ymail.com zoho.com zohomail.com`.split(/\s+/),
)
