/** A country of the demo. Names that are not Latin have their Latin spelling after a bar: it becomes part of the e-mail address. */
export type Country = {
  readonly code: string
  readonly language: string
  readonly currency: 'USD' | 'EUR' | 'JPY'
  /** The share of the people, in any unit. */
  readonly weight: number
  /** Cities with their time zones, separated by a bar. */
  readonly cities: readonly string[]
  readonly women: readonly string[]
  readonly men: readonly string[]
  readonly families: readonly string[]
}

function list(text: string): readonly string[] {
  return text.split(', ')
}

/** The names of invented people: common first names and family names of each country, combined at random. */
export const countries: readonly Country[] = [
  {
    ...{ code: 'US', language: 'en', currency: 'USD', weight: 22 },
    cities: list(
      'New York|America/New_York, Chicago|America/Chicago, Denver|America/Denver, Seattle|America/Los_Angeles',
    ),
    women: list('Olivia, Emma, Ava, Sophia, Mia, Harper, Nora, Zoë'),
    men: list('Liam, Noah, James, Ethan, Lucas, Henry, Jack, Owen'),
    families: list("Smith, Johnson, Williams, Brown, Garcia, Davis, O'Neill, Wilson, Anderson, Jefferson-Clark"),
  },
  {
    ...{ code: 'DE', language: 'de', currency: 'EUR', weight: 16 },
    cities: list('Berlin|Europe/Berlin, Köln|Europe/Berlin, München|Europe/Berlin, Görlitz|Europe/Berlin'),
    women: list('Anna, Lena, Käthe, Svenja, Mia, Johanna, Frieda, Marlene'),
    men: list('Jürgen, Lukas, Jörg, Felix, Björn, Moritz, Günther, Emil'),
    families: list('Müller, Schmidt, Schäfer, Weiß, Köhler, Groß, Böhm, Krüger, Fischer, von der Heide'),
  },
  {
    ...{ code: 'GB', language: 'en', currency: 'EUR', weight: 8 },
    cities: list('London|Europe/London, Leeds|Europe/London, Cardiff|Europe/London'),
    women: list('Isla, Freya, Poppy, Siân, Evie, Charlotte'),
    men: list('Oliver, George, Arthur, Rhys, Callum, Harry'),
    families: list('Taylor, Davies, Evans, Wright, Thompson, Hughes, MacLeod, Patel'),
  },
  {
    ...{ code: 'FR', language: 'fr', currency: 'EUR', weight: 8 },
    cities: list('Paris|Europe/Paris, Lyon|Europe/Paris, Besançon|Europe/Paris, Saint-Étienne|Europe/Paris'),
    women: list('Chloé, Zoé, Léa, Héloïse, Anaïs, Françoise, Maëlys'),
    men: list('Léo, Raphaël, Noël, François, Théo, Étienne, Jérôme'),
    families: list('Lefèvre, Dubois, Gérard, Noël, Rousseau, Château, Béranger, d’Aubigné'),
  },
  {
    ...{ code: 'ES', language: 'es', currency: 'EUR', weight: 5 },
    cities: list('Madrid|Europe/Madrid, Málaga|Europe/Madrid, Logroño|Europe/Madrid'),
    women: list('Lucía, Sofía, Begoña, Martina, Inés'),
    men: list('Hugo, Álvaro, Íñigo, Martín, José'),
    families: list('García Núñez, Ibáñez, Muñoz, Fernández, López Peña, Sánchez'),
  },
  {
    ...{ code: 'PL', language: 'pl', currency: 'EUR', weight: 4 },
    cities: list('Kraków|Europe/Warsaw, Łódź|Europe/Warsaw, Gdańsk|Europe/Warsaw'),
    women: list('Zuzanna, Małgorzata, Jadwiga, Łucja'),
    men: list('Łukasz, Michał, Wojciech, Stanisław'),
    families: list('Wiśniewski, Wójcik, Kowalczyk, Zieliński, Błaszczyk, Dąbrowski'),
  },
  {
    ...{ code: 'SE', language: 'sv', currency: 'EUR', weight: 3 },
    cities: list('Göteborg|Europe/Stockholm, Malmö|Europe/Stockholm'),
    women: list('Åsa, Elsa, Märta, Linnéa'),
    men: list('Håkan, Björn, Göran, Måns'),
    families: list('Åkesson, Öberg, Lindström, Sjögren, Ekström'),
  },
  {
    ...{ code: 'TR', language: 'tr', currency: 'EUR', weight: 3 },
    cities: list('İstanbul|Europe/Istanbul, İzmir|Europe/Istanbul'),
    women: list('Ayşe, Gülşen, Çiğdem, Işıl'),
    men: list('Oğuz, Barış, Ömer, Çağlar'),
    families: list('Yılmaz, Öztürk, Şahin, Güneş, Çelik, Doğan'),
  },
  {
    ...{ code: 'BR', language: 'pt', currency: 'USD', weight: 5 },
    cities: list('São Paulo|America/Sao_Paulo, Brasília|America/Sao_Paulo, Manaus|America/Manaus'),
    women: list('Antônia, Conceição, Heloísa, Júlia'),
    men: list('João, Antônio, Sebastião, Luís'),
    families: list('da Conceição, Araújo, Gonçalves, Magalhães, dos Santos, Assunção'),
  },
  {
    ...{ code: 'JP', language: 'ja', currency: 'JPY', weight: 10 },
    cities: list('東京|Asia/Tokyo, 大阪|Asia/Tokyo, 札幌|Asia/Tokyo'),
    women: list('葵|Aoi, 陽菜|Hina, さくら|Sakura, 結衣|Yui, 美咲|Misaki'),
    men: list('蓮|Ren, 大翔|Hiroto, 健太|Kenta, 悠真|Yuma, 翔|Sho'),
    families: list(
      '佐藤|Sato, 鈴木|Suzuki, 高橋|Takahashi, 田中|Tanaka, 渡辺|Watanabe, 小林|Kobayashi, 山口|Yamaguchi',
    ),
  },
  {
    ...{ code: 'TW', language: 'zh', currency: 'USD', weight: 4 },
    cities: list('臺北|Asia/Taipei, 高雄|Asia/Taipei'),
    women: list('雅婷|Yating, 怡君|Yijun, 淑芬|Shufen, 欣怡|Xinyi'),
    men: list('志明|Zhiming, 俊傑|Junjie, 家豪|Jiahao, 建宏|Jianhong'),
    families: list('陳|Chen, 林|Lin, 黃|Huang, 張|Zhang, 李|Li, 王|Wang'),
  },
  {
    ...{ code: 'IL', language: 'he', currency: 'USD', weight: 3 },
    cities: list('תל אביב|Asia/Jerusalem, חיפה|Asia/Jerusalem'),
    women: list('נועה|Noa, תמר|Tamar, יעל|Yael, מאיה|Maya'),
    men: list('איתי|Itai, נועם|Noam, יונתן|Yonatan, אורי|Uri'),
    families: list('כהן|Cohen, לוי|Levi, מזרחי|Mizrahi, פרץ|Peretz, ביטון|Biton'),
  },
  {
    ...{ code: 'EG', language: 'ar', currency: 'USD', weight: 4 },
    cities: list('القاهرة|Africa/Cairo, الإسكندرية|Africa/Cairo'),
    women: list('فاطمة|Fatima, مريم|Maryam, نور|Nour, ليلى|Layla'),
    men: list('محمد|Mohamed, أحمد|Ahmed, يوسف|Youssef, خالد|Khaled'),
    families: list('حسن|Hassan, عبد الرحمن|Abdelrahman, منصور|Mansour, السيد|Elsayed, إبراهيم|Ibrahim'),
  },
  {
    ...{ code: 'UA', language: 'uk', currency: 'EUR', weight: 3 },
    cities: list('Київ|Europe/Kyiv, Львів|Europe/Kyiv'),
    women: list('Олена|Olena, Ірина|Iryna, Софія|Sofiia, Ганна|Hanna'),
    men: list('Тарас|Taras, Олексій|Oleksii, Андрій|Andrii, Юрій|Yurii'),
    families: list('Шевченко|Shevchenko, Коваленко|Kovalenko, Бондар|Bondar, Мельник|Melnyk, Ткачук|Tkachuk'),
  },
  {
    ...{ code: 'GR', language: 'el', currency: 'EUR', weight: 2 },
    cities: list('Αθήνα|Europe/Athens, Θεσσαλονίκη|Europe/Athens'),
    women: list('Ελένη|Eleni, Μαρία|Maria, Αθηνά|Athina'),
    men: list('Γιώργος|Giorgos, Νίκος|Nikos, Οδυσσέας|Odysseas'),
    families: list('Παπαδόπουλος|Papadopoulos, Οικονόμου|Oikonomou, Βασιλείου|Vasileiou'),
  },
]

const kept: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', ł: 'l', ø: 'o', ı: 'i', đ: 'd', æ: 'ae', ð: 'd', þ: 'th' },
}

/** Splits a name into its own spelling and the Latin letters of an e-mail address. */
export function readName(text: string): { readonly name: string; readonly latin: string } {
  const [name = '', latin = name] = text.split('|')
  const plain = latin.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
  return { name, latin: plain.replaceAll(/[^a-z]/g, (letter) => kept[letter] ?? '') }
}
