/** What stands in examples and code in place of a secret. */
export const isPlaceholder = (value: string) =>
  /^[$%<{[./~]|^!secret|^[a-z]:\\|^(?:process|os|env|config|settings|secrets?|var|vault|import|get\w{0,20})\b|\w\(|^(.)\1+$|^[x*•.…-]+$|^(?:pass(?:word|wd)?|secret|pwd)$|your|example|change[_-]?me|placeholder|redacted|masked|dummy|sample|insert|to-?do/i.test(
    value,
  )
