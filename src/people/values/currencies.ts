/**
 * The alphabetic codes of ISO 4217 in use, with funds and metals. BGN was replaced at the start of 2026, but is still valid, because
 * purchases may be reported late.
 */
const codes = new Set(
  `
    AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE
    CHF CHW CLF CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ
    GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL
    LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR
    PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP
    TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAD XAF XAG XAU XBA XBB XBC XBD XCD XCG XDR
    XOF XPD XPF XPT XSU XTS XUA XXX YER ZAR ZMW ZWG
  `
    .trim()
    .split(/\s+/),
)

/** Returns the ISO 4217 code in capitals; undefined if there is no such currency. */
export function toCurrencyCode(text: string): string | undefined {
  if (codes.has(text)) return text
  const code = text.length === 3 ? text.toUpperCase() : text
  return codes.has(code) ? code : undefined
}
