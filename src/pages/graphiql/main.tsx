import '../console/parts/style.css'
import 'graphiql/style.css'
import './graphiql.css'
import { addressOf } from '../console/data/place.ts'
import { start } from '../console/shell/app.tsx'
import { Editor } from '../console/views/graphiql/editor.tsx'

self.MonacoEnvironment = {
  getWorker: (_, label) =>
    new Worker(
      addressOf(`/graphiql/${label === 'json' || label === 'graphql' ? label : 'editor'}.worker.js`),
      { type: 'module' },
    ),
}

start(<Editor />)
