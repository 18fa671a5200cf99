import type { Rule } from './rule.ts'

/** Prefixes that their issuers document, each with what follows it. */
const API_KEYS = [
  '(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}',
  'AIza[\\w-]{35}',
  'sk-ant-(?:api|admin)\\d{2}-[\\w-]{80,120}',
  'sk-(?:proj|svcacct|admin)-[\\w-]{40,200}',
  'sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}',
  'sk-or-v1-[0-9a-f]{64}',
  '(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,120}',
  'whsec_[A-Za-z0-9+/]{24,64}',
  'SG\\.[\\w-]{22}\\.[\\w-]{43}',
  'SK[0-9a-f]{32}',
  'key-[0-9a-f]{32}',
  'sq0(?:atp|csp)-[\\w-]{22,43}',
  'lin_api_[A-Za-z0-9]{40}',
  'NRAK-[A-Z0-9]{27}',
  'gsk_[A-Za-z0-9]{52}',
  'xai-[A-Za-z0-9]{80}',
  'pplx-[A-Za-z0-9]{48,56}',
  'r8_[A-Za-z0-9]{37}',
  'GOCSPX-[\\w-]{28}',
  'mnk_[0-9A-Za-z]{32}_[\\w-]{43}',
]

const ACCESS_TOKENS = [
  'gh[pousr]_[A-Za-z0-9]{36,251}',
  'github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}',
  'gl(?:pat|dt|rt|ptt|cbt|agent)-[\\w-]{20,64}',
  'xox[abeoprs]-[A-Za-z0-9-]{20,250}',
  'xapp-\\d-[A-Z0-9]{8,14}-\\d{10,14}-[0-9a-f]{64}',
  'https://hooks\\.slack\\.com/services/T[A-Z0-9]{6,12}/B[A-Z0-9]{6,12}/[A-Za-z0-9]{20,26}',
  'npm_[A-Za-z0-9]{36}',
  'pypi-AgEIcHlwaS5vcmc[\\w-]{50,250}',
  'dckr_pat_[\\w-]{27}',
  'hf_[A-Za-z]{34}',
  'do[opr]_v1_[0-9a-f]{64}',
  'shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}',
  'dapi[0-9a-f]{32}',
  'hv[sbr]\\.[\\w-]{24,120}',
  'sbp_[0-9a-f]{40}',
  'figd_[\\w-]{40,60}',
  'ntn_[A-Za-z0-9]{40,50}',
  'pscale_(?:tkn|pw|oauth)_[\\w.-]{32,64}',
  'ya29\\.[\\w-]{40,300}',
  'ATATT3[\\w=-]{60,250}',
  '[A-Za-z0-9]{14}\\.atlasv1\\.[\\w-]{60,70}',
  '\\d{8,10}:AA[\\w-]{33}',
  'eyJ[\\w-]{8,2000}\\.eyJ[\\w-]{8,8000}\\.[\\w-]{16,1400}',
]

/** A prefix may stand in a longer word that is no secret. */
const oneOf = (patterns: readonly string[]) =>
  new RegExp(`(?<![\\w-])(?:${patterns.join('|')})(?![\\w-])`, 'g')

/** Keys and tokens that tell their issuer by how they begin. */
export const issuedSecrets: readonly Rule[] = [
  { kind: 'private_key', pattern: /(?<!\w)AGE-SECRET-KEY-1[A-Z0-9]{58}(?!\w)/g },
  { kind: 'api_key', pattern: oneOf(API_KEYS) },
  { kind: 'access_token', pattern: oneOf(ACCESS_TOKENS) },
]
