import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type Sigma from 'sigma'
import { useLocation } from 'wouter'
import { useAddress } from '../../data/address.ts'
import { wordsOf } from '../../data/client.ts'
import { filtersOf, stateOf } from '../../data/finding.ts'
import { useNotices } from '../../parts/notices.tsx'
import { countOf } from '../../parts/words.ts'
import { Finder } from '../memories/finder.tsx'
import type { Path } from './asking.ts'
import { colourings, type Palette, paletteOf, typeColours } from './colours.ts'
import { Drawing, type Look } from './drawing.tsx'
import { Hits, useHits } from './hits.tsx'
import { Legend, useOmitted } from './legend.tsx'
import { Panel } from './panel.tsx'
import { Paths, usePaths } from './paths.tsx'
import { type Edge, type MemoryGraph, type Node, type Reading, readGraph } from './reading.ts'
import { saveGraphml, savePicture } from './saving.ts'
import { asOfOf, TimeChoice } from './time.tsx'

/** All memories that the filters let pass, drawn with their connections. Everything that is chosen is in the address. */
export function GraphView() {
  const { get, set } = useAddress()
  const [, open] = useLocation()
  const [way, setWay] = useState(0)
  const renderer = useRef<Sigma<Node, Edge> | undefined>(undefined)
  const read = useGraph()
  const hits = useHits()
  const paths = usePaths()
  const graph = read.data?.graph
  const version = read.data?.version ?? 0
  const colouring = colourings.find(each => each === get('colour')) ?? 'tag'
  const [groupings, setGroupings] = useState(0)
  const grouped = useCallback(() => setGroupings(before => before + 1), [])
  const palette = useMemo(() => graph && paletteOf(graph, colouring), [graph, version, groupings, colouring])
  const chosen = get('chosen') || undefined
  const choose = (id: string | undefined) => set({ chosen: id ?? '' })
  const found = get('q').trim() === '' ? undefined : hits.data?.results.map(({ memory }) => memory.id)
  const shownWay = Math.min(way, (paths.data?.length ?? 1) - 1)
  const path = paths.data?.[shownWay]
  const steps = path?.steps.map(({ id }) => id)
  useEffect(() => {
    if (graph && path) drawPath(graph, path)
  }, [graph, path, version])
  const look = useLook({ graph, palette, chosen, found, steps })
  return (
    <div className="graph-view">
      <Finder />
      <div className="parts">
        <div className="side finding">
          <Paths graph={graph} found={paths} shown={shownWay} show={setWay} />
          <Hits {...{ graph, version, choose }} found={hits} />
        </div>
        <section className="picture" aria-label="Graph">
          <Tools state={progressOf(read)} graph={graph} renderer={renderer} />
          {graph && palette && (
            <>
              <Drawing
                {...{ graph, version, look, choose, grouped, renderer }}
                open={id => open(`/memories/${id}`)}
              />
              <Legend {...{ graph, version, palette, colouring }} />
            </>
          )}
        </section>
        {chosen && (
          <section className="side chosen" aria-label="Chosen memory">
            <Panel key={chosen} id={chosen} choose={choose} />
          </section>
        )}
      </div>
    </div>
  )
}

/** A connection on the way that is none of the strongest has not been drawn yet. */
function drawPath(graph: MemoryGraph, { steps }: Path) {
  for (const [at, { id, by }] of steps.entries()) {
    const next = steps[at + 1]?.id ?? ''
    const [from, to] = by?.isOut ? [id, next] : [next, id]
    if (by && graph.hasNode(from) && graph.hasNode(to) && !graph.hasEdge(from, to))
      graph.addEdge(from, to, { kind: by.kind, origin: '', strength: by.strength ?? undefined })
  }
}

/** More memories than these are read again less often when something changes. */
const LARGE = 400

/** The graph as it is read: it grows while the first reading goes on. */
function useGraph() {
  const { get } = useAddress()
  const queries = useQueryClient()
  const queryKey = ['graph', filtersOf(get), stateOf(get), asOfOf(get)]
  const known = queries.getQueryData<Reading>(queryKey)
  return useQuery<Reading>({
    queryKey,
    queryFn: ({ signal }) =>
      readGraph(get, signal, part => {
        const before = queries.getQueryData<Reading>(queryKey)
        if (!before || before.graph === part.graph) queries.setQueryData(queryKey, part)
      }),
    meta: { isLarge: (known?.graph.order ?? 0) > LARGE },
    structuralSharing: false,
  })
}

type Read = { data: Reading | undefined; error: Error | null }

function progressOf({ data, error }: Read): string {
  if (error) return wordsOf(error)
  if (!data) return ''
  const { graph, isWhole, isCut } = data
  return [
    countOf(graph.order, 'memory', 'memories'),
    `${countOf(graph.size, 'connection')} drawn`,
    ...(isWhole ? [] : ['reading more …']),
    ...(isCut ? ['there are more: use a filter'] : []),
  ].join(' · ')
}

type ToolsProps = {
  state: string
  graph: MemoryGraph | undefined
  renderer: { current: Sigma<Node, Edge> | undefined }
}

function Tools({ state, graph, renderer }: ToolsProps) {
  const { get } = useAddress()
  const { complain } = useNotices()
  return (
    <div className="tools">
      <span role="status">{state}</span>
      <TimeChoice />
      <button
        type="button"
        disabled={!graph}
        onClick={() => renderer.current && void savePicture(renderer.current).catch(complain)}
      >
        Save as PNG
      </button>
      {stateOf(get) !== 'archived' && (
        <button type="button" disabled={!graph} onClick={() => void saveGraphml(get).catch(complain)}>
          Save as GraphML
        </button>
      )}
    </div>
  )
}

type Seen = {
  graph: MemoryGraph | undefined
  palette: Palette | undefined
  chosen: string | undefined
  found: readonly string[] | undefined
  steps: readonly string[] | undefined
}

/** A path outshines what is chosen, and that what was found; without any of them all is lit. */
function useLook({ graph, palette, chosen, found, steps }: Seen): Look {
  const omitted = useOmitted()
  const key = JSON.stringify([
    [...omitted.groups],
    [...omitted.types],
    omitted.origin,
    omitted.strength,
    found,
    steps,
  ])
  // The key stands for what is made again with each rendering.
  return useMemo(() => {
    const around = chosen && graph?.hasNode(chosen) ? [chosen, ...graph.neighbors(chosen)] : undefined
    const first = steps ?? around ?? found
    const lit = first && new Set(first)
    const isLit = (id: string) => !lit || lit.has(id)
    return {
      chosen: chosen && graph?.hasNode(chosen) ? chosen : undefined,
      node: (id, node) =>
        omitted.groups.has(palette?.groupOf(node) ?? '')
          ? undefined
          : { color: palette?.colourOf(node) ?? '', isLit: isLit(id), isNamed: steps?.includes(id) ?? false },
      edge(id, { kind, origin, strength }) {
        const isOmitted =
          omitted.types.has(kind) ||
          (omitted.origin !== '' && omitted.origin !== origin) ||
          (strength ?? 1) < omitted.strength
        if (isOmitted || !graph) return undefined
        const [from, to] = graph.extremities(id)
        const isNear = around && !steps ? from === chosen || to === chosen : true
        return { color: typeColours[kind], isLit: isNear && isLit(from) && isLit(to) }
      },
    }
  }, [graph, palette, chosen, key])
}
