import './parts/style.css'
import { start } from './shell/app.tsx'
import { Views } from './shell/routes.tsx'

start(<Views />)
