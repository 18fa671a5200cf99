import type { Rule } from './rule.ts'

export const cardNumbers: Rule = {
  kind: 'card_number',
  pattern: /(?<![\w.,+/-])(?:\d{4}(?:[ -]\d{4}){3}|\d{4}[ -]\d{6}[ -]\d{4,5}|\d{13,19})(?![\w/-]|[.,]\d)/g,
  holds: isCardNumber,
}

/** Lengths by the first digits, as the issuers have them, and the check digit. */
function isCardNumber(text: string): boolean {
  const digits = text.replaceAll(/\D/g, '')
  const isIssued =
    /^(?:4\d{15}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|6(?:011|4[4-9]\d|5\d\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|35(?:2[89]|[3-8]\d)\d{12}|62\d{14,17})$/.test(
      digits,
    )
  return isIssued && new Set(digits).size > 1 && hasCheckDigit(digits)
}

function hasCheckDigit(digits: string): boolean {
  const sum = Array.from(digits)
    .reverse()
    .reduce((total, digit, at) => {
      const value = Number(digit) * (at % 2 === 0 ? 1 : 2)
      return total + (value > 9 ? value - 9 : value)
    }, 0)
  return sum % 10 === 0
}
