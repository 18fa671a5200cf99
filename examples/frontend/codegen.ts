import type { CodegenConfig } from '@graphql-codegen/cli'

/** Types for every document in `src`. `DateTime` and `JSON` have the types that they have in JSON. */
const config: CodegenConfig = {
  schema: 'schema.graphql',
  documents: 'src/*.tsx',
  generates: {
    'src/gql/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        documentMode: 'string',
        useTypeImports: true,
        enumsAsConst: true,
        strictScalars: true,
        scalars: { DateTime: 'string', JSON: 'Record<string, unknown>', Relevance: 'number | string' },
      },
    },
  },
}

export default config
