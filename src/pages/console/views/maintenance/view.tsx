import { Tabs } from 'radix-ui'
import { useAddress } from '../../data/address.ts'
import { Conflicts } from './conflicts.tsx'
import { DataTab } from './data.tsx'
import { Planning } from './planning.tsx'
import { Policies } from './policies.tsx'
import { Runs } from './runs.tsx'

const tabs = [
  ['conflicts', 'Conflicts', Conflicts],
  ['plan', 'Plan', Planning],
  ['policies', 'Policies', Policies],
  ['runs', 'Runs', Runs],
  ['data', 'Import, export, erase', DataTab],
] as const

/** What keeps the memories of the tenant good. The tab is in the address. */
export function MaintenanceView() {
  const { get, set } = useAddress()
  return (
    <Tabs.Root
      className="page"
      value={get('tab') || 'conflicts'}
      onValueChange={tab => set({ tab: tab === 'conflicts' ? '' : tab })}
    >
      <Tabs.List className="tabs" aria-label="Maintenance">
        {tabs.map(([name, words]) => (
          <Tabs.Trigger key={name} value={name}>
            {words}
          </Tabs.Trigger>
        ))}
      </Tabs.List>
      {tabs.map(([name, , Tab]) => (
        <Tabs.Content key={name} value={name} tabIndex={-1}>
          <Tab />
        </Tabs.Content>
      ))}
    </Tabs.Root>
  )
}
