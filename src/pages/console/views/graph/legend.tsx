import { useMemo } from 'react'
import { relationshipTypes } from '../../../../contract/connections.ts'
import { useAddress } from '../../data/address.ts'
import type { Type } from '../../parts/connecting.tsx'
import { inWords } from '../../parts/words.ts'
import { type Colouring, colourings, type Palette, typeColours } from './colours.ts'
import type { MemoryGraph } from './reading.ts'

/** What the address leaves out of the drawing. */
export function useOmitted() {
  const { get, set } = useAddress()
  const listOf = (name: string) => get(name).split(',').filter(Boolean)
  const toggle = (name: string, item: string) => {
    const items = listOf(name)
    set({ [name]: (items.includes(item) ? items.filter(each => each !== item) : [...items, item]).join(',') })
  }
  return {
    groups: new Set(listOf('without')),
    types: new Set(listOf('off')),
    origin: get('origin'),
    strength: Number(get('strength')) || 0,
    toggleGroup: (name: string) => toggle('without', name),
    toggleType: (name: Type) => toggle('off', name),
  }
}

type Props = { graph: MemoryGraph; version: number; palette: Palette; colouring: Colouring }

/** What colours mean. A click leaves a group or a type out, or brings it back. */
export function Legend({ graph, version, palette, colouring }: Props) {
  const { get, set } = useAddress()
  const omitted = useOmitted()
  const kinds = useMemo(() => {
    const counts = new Map<Type, number>()
    graph.forEachEdge((_id, { kind }) => void counts.set(kind, (counts.get(kind) ?? 0) + 1))
    return counts
  }, [graph, version])
  return (
    <div className="legend">
      <div className="line">
        <label>
          Colour by
          <select value={colouring} onChange={event => set({ colour: event.target.value, without: '' })}>
            {colourings.map(each => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <ul aria-label="Colours of memories">
          {palette.groups.map(({ name, colour, count }, place) => (
            <li key={place}>
              <Switch
                {...{ name, colour, count }}
                isOn={!omitted.groups.has(name)}
                toggle={() => omitted.toggleGroup(name)}
              />
            </li>
          ))}
        </ul>
      </div>
      <div className="line">
        <ul aria-label="Types of connections">
          {relationshipTypes
            .filter(type => kinds.has(type))
            .map(type => (
              <li key={type}>
                <Switch
                  name={inWords(type)}
                  colour={typeColours[type]}
                  count={kinds.get(type) ?? 0}
                  isOn={!omitted.types.has(type)}
                  toggle={() => omitted.toggleType(type)}
                />
              </li>
            ))}
        </ul>
        <label>
          Made by
          <select value={get('origin')} onChange={event => set({ origin: event.target.value })}>
            <option value="">anyone</option>
            <option value="asserted">callers</option>
            <option value="discovered">discovery</option>
          </select>
        </label>
        <label>
          Strength at least {omitted.strength.toFixed(2)}
          <input
            type="range"
            min="0"
            max="1"
            step="0.05"
            value={omitted.strength}
            onChange={event => set({ strength: event.target.value === '0' ? '' : event.target.value })}
          />
        </label>
      </div>
    </div>
  )
}

type SwitchProps = { name: string; colour: string; count: number; isOn: boolean; toggle: () => void }

const Switch = ({ name, colour, count, isOn, toggle }: SwitchProps) => (
  <button type="button" className="quiet" aria-pressed={isOn} onClick={toggle}>
    <svg viewBox="0 0 10 10" aria-hidden="true">
      <circle cx="5" cy="5" r="4" fill={isOn ? colour : 'none'} stroke={colour} />
    </svg>
    <span>{name}</span> <small>{count}</small>
  </button>
)
