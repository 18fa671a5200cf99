/** The parts of the layout that the package has no types for. */
declare module 'graphology-layout-forceatlas2/iterate.js' {
  function iterate(settings: object, nodes: Float32Array, edges: Float32Array): void
  export = iterate
}
declare module 'graphology-layout-forceatlas2/helpers.js' {
  export function graphToByteArrays(
    graph: object,
    weightOf: () => number,
  ): { nodes: Float32Array; edges: Float32Array }
}
declare module 'graphology-layout-forceatlas2/defaults.js' {
  const defaults: object
  export = defaults
}
