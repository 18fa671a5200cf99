/** Cases of a property test on the service. `MNEMOGRAPH_TEST_RUNS=10` tries ten times as many as usual, which is half of these. */
export const runs = (count: number) => Math.ceil((count / 2) * Number(process.env.MNEMOGRAPH_TEST_RUNS ?? 1))

/** Each run tries the same random cases. `MNEMOGRAPH_TEST_SEED=…` tries others. */
export const seedOfRun = Number(process.env.MNEMOGRAPH_TEST_SEED ?? 105_283)
