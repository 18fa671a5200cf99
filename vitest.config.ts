import { defineConfig } from 'vitest/config'

// The databases of the tests live for minutes: what Java's second compiler costs never comes back.
process.env.JAVA_TOOL_OPTIONS ??= '-XX:TieredStopAtLevel=1'

export default defineConfig({
  // The same copy of it that Node gives to the libraries.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/database.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
  },
})
