/**
 * How far the estimate of tokens is from a true tokenizer, and how many tokens the tools of `/mcp` are:
 * `npm install --no-save gpt-tokenizer@4.0.0 && node bench/tokens.ts`. No part of the service needs that package.
 */
import { readFileSync } from 'node:fs'
import { ignored } from '../src/api/mcp/call.ts'
import { outputs } from '../src/api/mcp/outputs.ts'
import { jsonSchema } from '../src/api/mcp/schemas.ts'
import { toolInput, toolName, toolRoutes, tools } from '../src/api/mcp/tools.ts'
import { estimateTokens } from '../src/service/graph/context/tokens.ts'

const TOKENIZER = 'gpt-tokenizer/encoding/o200k_base'
const { countTokens } = (await import(TOKENIZER)) as { countTokens: (text: string) => number }

const read = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8')

const samples = {
  'English prose (README.md)': read('README.md'),
  'TypeScript (src/service/search/hybrid.ts)': read('src/service/search/hybrid.ts'),
  German: 'Der Sauerteig geht in der kalten Küche langsam auf; gib ihm die Nacht.',
  Chinese: '记忆服务为代理、应用程序和分析师存储文本片段，并通过含义、词语或两者再次找到它们。',
  Japanese: '記憶サービスは、エージェントのためにテキストを保存します。',
  Russian: 'Служба памяти хранит фрагменты текста и находит их снова по смыслу.',
  Hindi: 'मेमोरी सेवा पाठ के टुकड़े संग्रहीत करती है',
  Thai: 'บริการหน่วยความจำจัดเก็บข้อความ',
  Emoji: '🎉👩‍👩‍👧‍👦 🚀 🧠🇩🇪',
  UUIDs: '01a1fbec-13af-77b7-9738-3cc833677ea3\n5f0c9a44-8d1e-4b6f-9c2d-7e3a1b0f4c58',
  Base64: 'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJC7fQ2xY9Zp',
  Runes: 'ᚠᛇᚻ᛫ᛒᛦᚦ᛫ᚠᚱᚩᚠᚢᚱ᛫ᚠᛁᚱᚪ᛫ᚷᛖᚻᚹᛦᛚᚳᚢᛗ',
}

for (const [name, text] of Object.entries(samples)) {
  const [estimate, counted] = [estimateTokens(text), countTokens(text)]
  console.log(name.padEnd(36), `${estimate} for ${counted}:`, (estimate / counted).toFixed(2))
}

const descriptions = toolRoutes.map(name => ({
  name: toolName(name),
  description: tools[name].use,
  inputSchema: jsonSchema(toolInput(name), 'input'),
}))
const answers = toolRoutes.map(name => jsonSchema(outputs[name].extend({ ignored }), 'output'))
console.log('the tool descriptions that a model gets', countTokens(JSON.stringify(descriptions)))
console.log('the schemas of their answers', countTokens(JSON.stringify(answers)))
