import { StoreForm } from './editor.tsx'

export const NewMemory = () => (
  <div className="page">
    <StoreForm isFirst />
  </div>
)
