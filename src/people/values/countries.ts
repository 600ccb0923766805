/** ISO 3166-1: each alpha-2 code followed by its alpha-3 code. Kosovo has none there, but these are used for it. */
const codes = `
  ADAND AEARE AFAFG AGATG AIAIA ALALB AMARM AOAGO AQATA ARARG ASASM ATAUT AUAUS AWABW AXALA AZAZE BABIH BBBRB BDBGD
  BEBEL BFBFA BGBGR BHBHR BIBDI BJBEN BLBLM BMBMU BNBRN BOBOL BQBES BRBRA BSBHS BTBTN BVBVT BWBWA BYBLR BZBLZ CACAN
  CCCCK CDCOD CFCAF CGCOG CHCHE CICIV CKCOK CLCHL CMCMR CNCHN COCOL CRCRI CUCUB CVCPV CWCUW CXCXR CYCYP CZCZE DEDEU
  DJDJI DKDNK DMDMA DODOM DZDZA ECECU EEEST EGEGY EHESH ERERI ESESP ETETH FIFIN FJFJI FKFLK FMFSM FOFRO FRFRA GAGAB
  GBGBR GDGRD GEGEO GFGUF GGGGY GHGHA GIGIB GLGRL GMGMB GNGIN GPGLP GQGNQ GRGRC GSSGS GTGTM GUGUM GWGNB GYGUY HKHKG
  HMHMD HNHND HRHRV HTHTI HUHUN IDIDN IEIRL ILISR IMIMN ININD IOIOT IQIRQ IRIRN ISISL ITITA JEJEY JMJAM JOJOR JPJPN
  KEKEN KGKGZ KHKHM KIKIR KMCOM KNKNA KPPRK KRKOR KWKWT KYCYM KZKAZ LALAO LBLBN LCLCA LILIE LKLKA LRLBR LSLSO LTLTU
  LULUX LVLVA LYLBY MAMAR MCMCO MDMDA MEMNE MFMAF MGMDG MHMHL MKMKD MLMLI MMMMR MNMNG MOMAC MPMNP MQMTQ MRMRT MSMSR
  MTMLT MUMUS MVMDV MWMWI MXMEX MYMYS MZMOZ NANAM NCNCL NENER NFNFK NGNGA NINIC NLNLD NONOR NPNPL NRNRU NUNIU NZNZL
  OMOMN PAPAN PEPER PFPYF PGPNG PHPHL PKPAK PLPOL PMSPM PNPCN PRPRI PSPSE PTPRT PWPLW PYPRY QAQAT REREU ROROU RSSRB
  RURUS RWRWA SASAU SBSLB SCSYC SDSDN SESWE SGSGP SHSHN SISVN SJSJM SKSVK SLSLE SMSMR SNSEN SOSOM SRSUR SSSSD STSTP
  SVSLV SXSXM SYSYR SZSWZ TCTCA TDTCD TFATF TGTGO THTHA TJTJK TKTKL TLTLS TMTKM TNTUN TOTON TRTUR TTTTO TVTUV TWTWN
  TZTZA UAUKR UGUGA UMUMI USUSA UYURY UZUZB VAVAT VCVCT VEVEN VGVGB VIVIR VNVNM VUVUT WFWLF WSWSM XKXKX YEYEM YTMYT
  ZAZAF ZMZMB ZWZWE
`

/** Names that the runtime does not know: those of ISO 3166 where they differ, and common ones. */
const otherNames: Readonly<Record<string, string>> = {
  AE: 'UAE|Emirates',
  AG: 'Antigua and Barbuda',
  BA: 'Bosnia',
  BN: 'Brunei Darussalam',
  BO: 'Bolivia, Plurinational State of|Plurinational State of Bolivia',
  BQ: 'Bonaire, Sint Eustatius and Saba|Bonaire',
  BS: 'The Bahamas',
  CD: 'Democratic Republic of the Congo|Congo, The Democratic Republic of the|DR Congo|DRC|Congo-Kinshasa',
  CG: 'Congo|Republic of the Congo',
  CI: 'Ivory Coast',
  CN: "People's Republic of China",
  CV: 'Cabo Verde',
  CZ: 'Czech Republic',
  DO: 'Dominican Rep.',
  FK: 'Falkland Islands (Malvinas)|Malvinas',
  FM: 'Micronesia, Federated States of|Federated States of Micronesia',
  GB: 'UK|Great Britain|United Kingdom of Great Britain and Northern Ireland|Britain|England|Scotland|Wales|Northern Ireland',
  GM: 'The Gambia|Republic of The Gambia',
  GS: 'South Georgia and the South Sandwich Islands',
  HK: 'Hong Kong',
  HM: 'Heard Island and McDonald Islands',
  IR: 'Iran, Islamic Republic of|Islamic Republic of Iran',
  KP: "Korea, Democratic People's Republic of|Democratic People's Republic of Korea",
  KR: 'Korea|Korea, Republic of|Republic of Korea',
  LA: "Lao People's Democratic Republic",
  MD: 'Moldova, Republic of|Republic of Moldova',
  MF: 'Saint Martin (French part)',
  MK: 'Macedonia|Republic of North Macedonia|The Republic of North Macedonia',
  MM: 'Myanmar|Burma',
  MO: 'Macao|Macau',
  NL: 'The Netherlands|Netherlands (Kingdom of the)|Holland',
  PN: 'Pitcairn',
  PS: 'Palestine|Palestine, State of|State of Palestine',
  RU: 'Russian Federation',
  SH: 'Saint Helena, Ascension and Tristan da Cunha',
  SX: 'Sint Maarten (Dutch part)',
  SY: 'Syrian Arab Republic',
  SZ: 'Swaziland',
  TL: 'East Timor',
  TR: 'Turkey|Türkiye',
  TW: 'Taiwan, Province of China',
  TZ: 'Tanzania, United Republic of|United Republic of Tanzania',
  UM: 'United States Minor Outlying Islands',
  US: 'USA|United States of America|America|U.S.|The United States',
  VA: 'Holy See|Holy See (Vatican City State)|Vatican',
  VC: 'Saint Vincent and the Grenadines',
  VE: 'Venezuela, Bolivarian Republic of|Bolivarian Republic of Venezuela',
  VG: 'Virgin Islands, British',
  VI: 'Virgin Islands, U.S.',
  VN: 'Viet Nam',
}

const alpha2 = new Set<string>()
const byAlpha3 = new Map<string, string>()
for (const code of codes.trim().split(/\s+/)) {
  alpha2.add(code.slice(0, 2))
  byAlpha3.set(code.slice(2), code.slice(0, 2))
}

let byName: Map<string, string> | undefined

/** Returns the ISO 3166-1 alpha-2 code of a country given by code (two or three letters) or English name; undefined if unknown. */
export function toCountryCode(text: string): string | undefined {
  if (text.length === 2 || text.length === 3) {
    const code = text.toUpperCase()
    if (alpha2.has(code)) return code
    const found = byAlpha3.get(code)
    if (found) return found
  }
  byName ??= readNames()
  return byName.get(bareName(text))
}

function readNames(): Map<string, string> {
  const english = new Intl.DisplayNames('en', { type: 'region' })
  const names = new Map<string, string>()
  for (const code of alpha2) {
    names.set(bareName(english.of(code) ?? code), code)
    for (const name of otherNames[code]?.split('|') ?? []) names.set(bareName(name), code)
  }
  return names
}

/** Removes case, accents and everything but letters, and unifies the spellings of "and" and "Saint". */
function bareName(name: string): string {
  const plain = name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll('&', 'and')
    .replace(/\bst\b/g, 'saint')
  return plain.replace(/[^\p{L}]/gu, '')
}
