/** Cases of a property test on the service. `MNEMOGRAPH_TEST_RUNS=10` tries ten times as many. */
export const runs = (count: number) => count * Number(process.env.MNEMOGRAPH_TEST_RUNS ?? 1)
