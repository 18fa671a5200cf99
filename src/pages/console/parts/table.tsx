import type { ReactNode } from 'react'

/** A table with names of columns; an empty name is a column of buttons. */
export const Table = ({ columns, children }: { columns: readonly string[]; children: ReactNode }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by the keys
  <section className="scroll" tabIndex={0} aria-label={columns.filter(Boolean).join(', ')}>
    <table>
      <thead>
        <tr>
          {columns.map(name =>
            name === '' ? (
              <td key="actions">
                <span className="visually-hidden">Actions</span>
              </td>
            ) : (
              <th key={name} scope="col">
                {name}
              </th>
            ),
          )}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </section>
)
