/** The names of the columns of a table. */
export const Head = ({ columns }: { columns: readonly string[] }) => (
  <thead>
    <tr>
      {columns.map(name => (
        <th key={name}>{name}</th>
      ))}
    </tr>
  </thead>
)
